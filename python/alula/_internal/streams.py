"""The standard streams of a process."""

import os
import sys
from typing import Literal, TextIO


def open_standard() -> None:
    """Opens to nowhere those of the three standard streams that the process was started without.

    Otherwise the first sockets would get their numbers, and whatever writes to standard output or
    error without asking would write to a client.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            _open(number, name)


def _open(number: int, name: str) -> None:
    # The lowest number that is free is this one: those below are open by now.
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    os.set_inheritable(number, True)
    if getattr(sys, name) is None:
        stream = _stream(number, "r" if number == 0 else "w")
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _stream(number: int, mode: Literal["r", "w"]) -> TextIO:
    return open(number, mode, encoding="utf-8", errors="replace", closefd=False)
