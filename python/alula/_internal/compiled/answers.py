"""Makes responses as FastAPI's request handler does, where a plan does not write them itself."""

# pyright: reportPrivateUsage=false

from typing import Any

from fastapi.exceptions import RequestValidationError, ResponseValidationError
from fastapi.routing import _extract_endpoint_context
from fastapi.utils import is_body_allowed_for_status_code
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from alula._internal.asgi import Scope
from alula._internal.compiled.body_limit import limit_error

PLAIN_CALL = Response.__call__
"""What sends a response whose body is there."""

JSON_TYPE = (b"content-type", b"application/json")


def injected_response() -> Response:
    """The response that a handler gets to set headers, cookies and a status on."""
    response = Response()
    del response.headers["content-length"]
    response.status_code = None  # type: ignore[assignment]
    return response


def status_of(declared: int | None, injected: Response | None) -> dict[str, Any]:
    """The status of a response, as arguments: what was set on the injected one comes first."""
    if injected is not None and injected.status_code:
        return {"status_code": injected.status_code}
    return {"status_code": declared} if declared else {}


def make_response(
    make: type[Response],
    content: Any,
    arguments: dict[str, Any],
    injected: Response | None,
) -> Response:
    """A response of a class around its content, with what was set on the injected one."""
    response = make(content, **arguments)
    if not is_body_allowed_for_status_code(response.status_code):
        response.body = b""
    if injected is not None:
        response.headers.raw.extend(injected.headers.raw)
    return response


def is_plain_json(make: type[Any]) -> bool:
    """Whether a response class is Starlette's for JSON, as it came."""
    return (
        make is JSONResponse
        and "render" in vars(JSONResponse)
        and JSONResponse.render.__code__.co_filename.endswith("starlette/responses.py")
    )


def request_error(
    endpoint: Any, errors: list[Any], body: Any, scope: Scope
) -> RequestValidationError:
    """The exception for a request that is not valid."""
    return RequestValidationError(errors, body=body, endpoint_ctx=_context(endpoint, scope))


def json_error(endpoint: Any, error: Any, scope: Scope) -> RequestValidationError:
    """The exception for a body that is not JSON."""
    wrong = {
        "type": "json_invalid",
        "loc": ("body", error.pos),
        "msg": "JSON decode error",
        "input": {},
        "ctx": {"error": error.msg},
    }
    return request_error(endpoint, [wrong], error.doc, scope)


def body_error(scope: Scope, error: Exception) -> Exception:
    """The exception for a body that could not be read."""
    return limit_error(scope, error) or HTTPException(
        status_code=400, detail="There was an error parsing the body"
    )


def response_error(
    endpoint: Any, errors: list[Any], body: Any, scope: Scope
) -> ResponseValidationError:
    """The exception for a return value that is not valid."""
    return ResponseValidationError(errors=errors, body=body, endpoint_ctx=_context(endpoint, scope))


def _context(endpoint: Any, scope: Scope) -> Any:
    """Where the endpoint is, for the text of an exception."""
    dependant = endpoint.dependant
    context = _extract_endpoint_context(dependant.call)
    if dependant.path:
        mount = scope.get("root_path", "").rstrip("/")
        context["path"] = f"{scope['method']} {mount}{dependant.path}"
    return context
