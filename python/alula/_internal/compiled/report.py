"""What became of an application's routes, and of its requests."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class RouteReport:
    """One route: compiled, or plain ASGI and why."""

    path: str
    methods: tuple[str, ...]
    """In alphabetical order; empty for a WebSocket, a mount or a host."""
    name: str
    steps: tuple[str, ...] = ()
    """What its plan does, in order; those that never enter Python end in `(native)`."""
    reason: str | None = None
    """Why it runs as plain ASGI; None if it is compiled."""

    @property
    def compiled(self) -> bool:
        """Whether a plan answers it."""
        return self.reason is None


@dataclass
class Counts:
    """How many HTTP requests a plan answered, and how many went to the application, by cause."""

    answered: int = 0
    declined: dict[str, int] = field(default_factory=dict[str, int])

    def decline(self, cause: str) -> None:
        """Counts a request that the application answers itself."""
        self.declined[cause] = self.declined.get(cause, 0) + 1

    @property
    def share(self) -> float:
        """The share of requests that a plan answered, 0 to 1; 1 if there were none."""
        total = self.answered + sum(self.declined.values())
        return self.answered / total if total else 1.0
