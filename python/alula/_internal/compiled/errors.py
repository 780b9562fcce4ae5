"""Why something is not compiled."""

from alula.errors import Error


class NotCompiled(Error):  # noqa: N818
    """Raised for an application or a route that cannot be compiled; the message says why."""
