"""Colours of the terminal."""

_COLORS = {
    "red": 31,
    "green": 32,
    "yellow": 33,
    "blue": 34,
    "cyan": 36,
    "bright_red": 91,
    "bright_white": 97,
}


def style(text: str, fg: str | None = None, *, bold: bool = False) -> str:
    """The text with the sequences around it that colour it or make it bold."""
    color = "" if fg is None else f"\033[{_COLORS[fg]}m"
    weight = "\033[1m" if bold else ""
    return f"{color}{weight}{text}\033[0m"
