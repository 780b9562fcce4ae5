"""The exceptions of Alula. All descend from `Error`."""


class Error(Exception):
    """Anything that Alula raises on its own account."""


class ConfigError(Error, ValueError):
    """An option, or a value of one, that is not accepted. The text names both, and what would be."""


class StartupError(Error):
    """A server that cannot start: no such application, a busy port, a failing lifespan startup."""


class ClientDisconnected(Error, OSError):
    """Raised by `send()` when the client is gone."""
