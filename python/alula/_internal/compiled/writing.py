"""Writes a route's plan: one `async def` that does what FastAPI's machinery does, and no more."""

# pyright: reportPrivateUsage=false

import inspect
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from fastapi import routing as made
from fastapi._compat import Undefined
from fastapi.dependencies.utils import (
    _get_form_models,
    _should_embed_body_fields,
    request_body_to_args,
)
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import FastAPIError
from fastapi.utils import is_body_allowed_for_status_code
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from alula._internal.asgi import Receive, Scope, Send
from alula._internal.compiled import answers, fields, parameters, values
from alula._internal.compiled.dependencies import (
    Overrides,
    Solver,
    as_dict,
    as_keywords,
    is_generator,
)
from alula._internal.compiled.failures import Sender
from alula._internal.compiled.parameters import Taken
from alula._internal.compiled.plan import Endpoint, Entry
from alula._internal.compiled.source import Source
from alula._internal.compiled.threads import ThreadCall
from alula.errors import NotCompiled

Plan = Callable[[Scope, Receive, Send, dict[str, Any]], Awaitable[None]]


class Surroundings:
    """What is around a plan: who shows the scope to others, who handles what it raises."""

    def __init__(
        self,
        expose: Callable[[Scope, Entry | None, dict[str, Any]], None],
        failed_in_route: Callable[..., Awaitable[None]],
        failed: Callable[..., Awaitable[None]],
        *,
        exposed: bool,
    ) -> None:
        self.expose = expose
        self.failed_in_route = failed_in_route
        self.failed = failed
        self.exposed = exposed
        """Whether the user's middleware can look at the scope."""


def write_plan(entry: Entry, around: Surroundings, overrides: Overrides) -> Plan:
    """The plan of a route. Raises `NotCompiled` if it takes what no plan does."""
    return _Writer(entry, around, overrides).write()


def steps_of(entry: Entry) -> tuple[str, ...]:
    """What a route's plan does, for people."""
    endpoint = entry.endpoint
    if endpoint is None:
        return (f"call {_name(entry.holder.endpoint)} with the request",)
    dependant = endpoint.dependant
    steps = [
        f"{where} {field.name}"
        for where in ("path", "query", "header", "cookie")
        for field in getattr(dependant, f"{where}_params")
    ]
    if endpoint.body_field is not None:
        steps.append("form" if endpoint.is_body_form else "json body")
    steps += [f"depends {_name(sub.call)}" for sub in dependant.dependencies]
    steps.append(
        f"call {_name(dependant.call)}" + ("" if endpoint.is_coroutine else " in a thread")
    )
    steps.append("response model" if endpoint.response_field is not None else "encode")
    return tuple(steps)


def _name(call: Any) -> str:
    return str(getattr(call, "__name__", type(call).__name__))


class _Writer:
    def __init__(self, entry: Entry, around: Surroundings, overrides: Overrides) -> None:
        endpoint = entry.endpoint
        assert endpoint is not None
        self.entry = entry
        self.endpoint: Endpoint = endpoint
        self.around = around
        self.source = Source()
        self.taken = Taken()
        self.solver = Solver(
            self.source, endpoint.dependant, overrides, self.taken, alone=not around.exposed
        )
        self._refuse()
        generators = self.solver.any_of(
            lambda each: each is not endpoint.dependant and is_generator(each.call)
        )
        self.injects = self.solver.any_of(lambda each: bool(each.response_param_name))
        self.tasks = self.solver.any_of(lambda each: bool(each.background_tasks_param_name))
        self.full = bool(
            generators
            or endpoint.is_body_form
            or self.solver.any_of(
                lambda each: bool(each.request_param_name or each.http_connection_param_name)
            )
        )

    def _refuse(self) -> None:
        endpoint = self.endpoint
        call = endpoint.dependant.call
        names = inspect.signature(call).parameters if not endpoint.is_coroutine else ()
        if "func" in names:
            raise NotCompiled("FastAPI can call no plain function with a parameter named func")
        if endpoint.is_sse_stream or endpoint.is_json_stream or is_generator(call):
            raise NotCompiled("its handler is a generator")
        if self.solver.any_of(lambda each: bool(each.websocket_param_name)):
            raise NotCompiled("it takes a WebSocket")

    def constant(self, value: object) -> str:
        return self.source.constant(value)

    def write(self) -> Plan:
        source = self.source
        with source.block("async def plan(scope, receive, send, path_params):"):
            source.line("started = False")
            source.line("sender = request = raw_body = tasks = injected = None")
            source.line(f"body = {self.constant(Undefined)}")
            if self.full:
                self._full()
            else:
                self._lean()
        title = f"{'/'.join(sorted(self.entry.methods or ()))} {self.entry.path}"
        return source.function("plan", title)

    # ---- The two shapes

    def _lean(self) -> None:
        """Nobody sees the request or its stacks: no such objects."""
        source = self.source
        if self.around.exposed:
            self._expose()
        with source.block("try:"):
            self._solve()
            self._respond()
        with source.block("except Exception as error:"):
            self._make_sender()
            source.line(
                f"await {self.constant(self.around.failed_in_route)}"
                f"(scope, receive, sender, path_params, {self.constant(self.entry)},"
                " request, raw_body, error)"
            )

    def _full(self) -> None:
        """As FastAPI: a request, and the stacks of what is left again."""
        source = self.source
        self._expose()
        stack = self.constant(AsyncExitStack)
        with source.block("try:"), source.block(f"async with {stack}() as file_stack:"):
            source.line("scope['fastapi_middleware_astack'] = file_stack")
            source.line(f"request = {self.constant(Request)}(scope, receive, send)")
            with source.block("try:"):
                source.line("awaited = False")
                with source.block(f"async with {stack}() as request_stack:"):
                    source.line("scope['fastapi_inner_astack'] = request_stack")
                    with source.block(f"async with {stack}() as function_stack:"):
                        source.line("scope['fastapi_function_astack'] = function_stack")
                        self._solve()
                    self._respond()
                    source.line("awaited = True")
                with source.block("if not awaited:"):
                    source.line(
                        f"raise {self.constant(FastAPIError)}({self.constant(_NOT_AWAITED)})"
                    )
            with source.block("except Exception as error:"):
                self._make_sender()
                source.line(
                    f"await {self.constant(self.around.failed_in_route)}"
                    f"(scope, receive, sender, path_params, {self.constant(self.entry)},"
                    " request, raw_body, error, nested=True)"
                )
        with source.block("except Exception as error:"):
            self._make_sender()
            source.line(f"await {self.constant(self.around.failed)}(scope, receive, sender, error)")

    def _expose(self) -> None:
        entry = self.constant(self.entry)
        self.source.line(f"{self.constant(self.around.expose)}(scope, {entry}, path_params)")

    def _make_sender(self) -> None:
        with self.source.block("if sender is None:"):
            self.source.line(f"sender = {self.constant(Sender)}(send, started)")

    # ---- What comes in

    def _solve(self) -> None:
        source = self.source
        begin = len(source.lines)
        indent = source.indent
        if self.injects:
            source.line(f"injected = {self.constant(answers.injected_response)}()")
        if self.endpoint.body_field is not None:
            self._read_body()
        arguments, errors = self.solver.write(self._body_fields)
        if self.solver.any_of(parameters.needs_errors):
            with source.block(f"if {errors} is not None:"):
                undefined = self.constant(Undefined)
                source.line(
                    f"raise {self.constant(answers.request_error)}({self.constant(self.endpoint)},"
                    f" {errors}, None if body is {undefined} else body, scope)"
                )
        self._call(arguments)
        prelude = [indent + line for line in self.taken.lines.values()]
        source.lines[begin:begin] = prelude

    def _read_body(self) -> None:
        source = self.source
        with source.block("try:"):
            if self.endpoint.is_body_form:
                self._read_form()
            else:
                self._read_json()
        endpoint = self.constant(self.endpoint)
        with source.block(f"except {self.constant(json.JSONDecodeError)} as wrong:"):
            source.line(
                f"raise {self.constant(answers.json_error)}({endpoint}, wrong, scope) from wrong"
            )
        with source.block(f"except {self.constant(HTTPException)}:"):
            source.line("raise")
        with source.block("except Exception as wrong:"):
            source.line(f"raise {self.constant(answers.body_error)}(scope, wrong) from wrong")

    def _read_form(self) -> None:
        source = self.source
        limits = self.constant(self.endpoint.form_limits)
        source.line(f"body = await request.form(**{limits})")
        source.line("file_stack.push_async_callback(body.close)")

    def _read_json(self) -> None:
        source = self.source
        source.line("message = await receive()")
        with source.block(
            'if message["type"] == "http.request" and not message.get("more_body", False):'
        ):
            source.line('raw_body = message.get("body", b"")')
        with source.block("else:"):
            source.line(f"raw_body = await {self.constant(values.rest_of_body)}(message, receive)")
        if self.full:
            source.line("request._body = raw_body")
            source.line("request._stream_consumed = True")
        with source.block("if raw_body:"):
            find = self.constant(values.header_value)
            source.line(f"content_type = {find}(scope['headers'], b'content-type')")
            strict = bool(self.endpoint.strict_content_type)
            is_json = f"{self.constant(values.is_json)}(content_type, {strict})"
            with source.block(f"if content_type == 'application/json' or {is_json}:"):
                source.line(f"body = {self.constant(values.load_json)}(raw_body)")
                if self.full:
                    source.line("request._json = body")
            with source.block("else:"):
                source.line("body = raw_body")

    def _body_fields(self, dependant: Any, errors: str) -> dict[str, str]:
        """A dependant's part of the body, by FastAPI's own function but for the usual case."""
        source = self.source
        declared = dependant.body_params
        if (
            len(declared) == 1
            and not self.endpoint.is_body_form
            and not self.endpoint.embed_body_fields
            and not _should_embed_body_fields(declared)
            and not _get_form_models(declared[0])
        ):
            field = fields.read_body(declared[0])
            value = source.name()
            source.line(f"{value} = body")
            parameters.check(source, field, value, errors, f"{value} is {self.constant(Undefined)}")
            return {field.name: value}
        solve, group = self.constant(request_body_to_args), self.constant(declared)
        found, wrong = source.name("values"), source.name("wrong")
        source.line(
            f"{found}, {wrong} = await {solve}(body_fields={group}, received_body=body,"
            f" embed_body_fields={self.endpoint.embed_body_fields!r})"
        )
        with source.block(f"if {wrong}:"):
            source.line(f"{errors} = {wrong} if {errors} is None else {errors} + {wrong}")
        names = {field.name: source.name() for field in declared}
        for name, value in names.items():
            source.line(f"{value} = {found}.get({name!r})")
        return names

    # ---- The call

    def _call(self, arguments: dict[str, str]) -> None:
        source = self.source
        endpoint = self.endpoint
        call = source.constant(endpoint.dependant.call, "handler")
        if endpoint.is_coroutine:
            source.line(f"raw = await {call}({as_keywords(arguments)})")
            if endpoint.response_field is not None:
                with source.block(f"if not isinstance(raw, {self.constant(Response)}):"):
                    self._validate_response("raw")
        elif endpoint.response_field is None:
            run = self.constant(ThreadCall(endpoint.dependant.call))
            source.line(f"raw = await {run}({as_dict(arguments)})")
        else:
            run = self.constant(ThreadCall(_job(endpoint)))
            source.line(f"raw, value, wrong = await {run}({as_dict(arguments)})")
            with source.block("if wrong is not None:"):
                self._raise_response_error()
        self._make_response()

    def _validate_response(self, raw: str) -> None:
        source = self.source
        validate = self.constant(fields.validator(self.endpoint.response_field))
        with source.block("try:"):
            source.line(f"value = {validate}({raw}, from_attributes=True)")
        with source.block(f"except {self.constant(ValidationError)} as wrong:"):
            self._raise_response_error()

    def _raise_response_error(self) -> None:
        describe = self.constant(values.validation_errors)
        self.source.line(
            f"raise {self.constant(answers.response_error)}({self.constant(self.endpoint)},"
            f" {describe}(wrong, ('response',)), raw, scope) from None"
        )

    # ---- The response

    def _make_response(self) -> None:
        """Sets `response`, or leaves it None and sets `content`: the bytes of a JSON answer."""
        source = self.source
        with source.block(f"if isinstance(raw, {self.constant(Response)}):"):
            source.line("response = raw")
            if self.tasks:
                with source.block("if response.background is None:"):
                    source.line("response.background = tasks")
        with source.block("else:"):
            content = self._content()
            if self._writes_itself():
                source.line("response = None")
                source.line(f"content = {content}")
            else:
                self._make_object(content)

    def _writes_itself(self) -> bool:
        endpoint = self.endpoint
        status = endpoint.status_code or 200
        dumps = endpoint.response_field is not None and endpoint.default_response_class
        encodes = endpoint.response_field is None and answers.is_plain_json(endpoint.response_class)
        return (
            not self.injects
            and (dumps or encodes)
            and 200 <= status < 600
            and is_body_allowed_for_status_code(status)
        )

    def _content(self) -> str:
        endpoint = self.endpoint
        field = endpoint.response_field
        if field is None:
            if self._writes_itself():
                return f"{self.constant(values.encode_json)}(raw)"
            return f"{self.constant(jsonable_encoder)}(raw)"
        dump = field.serialize_json if endpoint.default_response_class else field.serialize
        if endpoint.default_response_class and getattr(
            field._type_adapter, "pydantic_complete", False
        ):
            dump = field._type_adapter.serializer.to_json
        options = {
            name: option
            for name, option in endpoint.dump_options.items()
            if option is not None and option is not False
        }
        named = ", ".join(f"{name}={self.constant(option)}" for name, option in options.items())
        if not endpoint.dump_options["by_alias"]:
            named = ", ".join(filter(None, (named, "by_alias=False")))
        return f"{self.constant(dump)}(value, {named})"

    def _make_object(self, content: str) -> None:
        source = self.source
        endpoint = self.endpoint
        dumps = endpoint.response_field is not None and endpoint.default_response_class
        source.line(f"content = {content}")
        status = f"{self.constant(answers.status_of)}({endpoint.status_code!r}, injected)"
        source.line(f"arguments = {{'background': tasks, **{status}}}")
        if dumps:
            source.line("arguments['media_type'] = 'application/json'")
        make = self.constant(Response if dumps else endpoint.response_class)
        build = self.constant(answers.make_response)
        source.line(f"response = {build}({make}, content, arguments, injected)")

    def _respond(self) -> None:
        source = self.source
        status = self.endpoint.status_code or 200
        with source.block("if response is None:"):
            source.line("started = True")
            json_type = self.constant(answers.JSON_TYPE)
            source.line(
                f"await send({{'type': 'http.response.start', 'status': {status}, 'headers':"
                f" [(b'content-length', b'%d' % len(content)), {json_type}]}})"
            )
            source.line("await send({'type': 'http.response.body', 'body': content})")
            if self.tasks:
                with source.block("if tasks is not None:"):
                    source.line("await tasks()")
        with source.block(f"elif type(response).__call__ is {self.constant(answers.PLAIN_CALL)}:"):
            source.line("started = True")
            source.line(
                "await send({'type': 'http.response.start', 'status': response.status_code,"
                " 'headers': response.raw_headers})"
            )
            source.line("await send({'type': 'http.response.body', 'body': response.body})")
            with source.block("if response.background is not None:"):
                source.line("await response.background()")
        with source.block("else:"):
            if not self.full and not self.around.exposed:
                self._expose()
            source.line(f"sender = {self.constant(Sender)}(send, False)")
            source.line("await response(scope, receive, sender)")


def _job(endpoint: Endpoint) -> Callable[..., Any]:
    """A sync handler and the validation of what it returns, in one go to a thread."""
    call = endpoint.dependant.call
    validate = fields.validator(endpoint.response_field)

    def job(**arguments: Any) -> tuple[Any, Any, ValidationError | None]:
        raw = call(**arguments)
        if isinstance(raw, Response):
            return raw, None, None
        try:
            return raw, validate(raw, from_attributes=True), None
        except ValidationError as wrong:
            return raw, None, wrong

    return job


def _not_awaited() -> str:
    """The text of FastAPI's own error, from its code."""
    pending = [made.request_response.__code__]
    while pending:
        for constant in pending.pop().co_consts:
            if hasattr(constant, "co_consts"):
                pending.append(constant)
            elif isinstance(constant, str) and constant.startswith("Response not awaited"):
                return constant
    return "Response not awaited."


_NOT_AWAITED = _not_awaited()
