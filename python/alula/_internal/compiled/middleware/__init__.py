"""Starlette's own middlewares, with the same behaviour and less work for each request.

What it is: `accelerate(layer)` takes a middleware as Starlette made it and returns an ASGI
application that does the same. What it is not: a set of middlewares; what is rare (a preflight, a
redirect, a refusal) is left to the layer itself, and so is a layer of a class that is not known.

Layout:

- `layers`: which layers are known; `headers`: raw header lists, edited as `MutableHeaders` does.
- A module for each middleware: `cors`, `gzip`, `trusted_host`, `https_redirect`.
"""

from alula._internal.compiled.middleware.layers import accelerate

__all__ = ["accelerate"]
