"""`HTTPSRedirectMiddleware`: what is secure goes straight on."""

from typing import Any

from alula._internal.asgi import Application, Receive, Scope, Send


def fast_https_redirect(layer: Any) -> Application:
    """An application that does what this `HTTPSRedirectMiddleware` does."""

    async def https_redirect(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and scope["scheme"] in ("http", "ws"):
            await layer(scope, receive, send)
        else:
            await layer.app(scope, receive, send)

    return https_redirect
