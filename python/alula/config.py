"""The options of a server."""

from alula._alula import Config

__all__ = ["Config"]
