"""The exceptions of Alula. All descend from `Error`."""

from alula._alula import ClientDisconnected, Error

__all__ = ["ClientDisconnected", "ConfigError", "Error", "NotCompiled", "StartupError"]


class ConfigError(Error, ValueError):
    """An option or a value that is not accepted. The text names both, and what would be."""


class StartupError(Error):
    """A server that cannot start: no such application, a busy port, a failing lifespan startup."""


class NotCompiled(Error):
    """An application that cannot be compiled: no FastAPI, an unknown version, a patched one."""
