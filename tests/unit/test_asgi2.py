"""Which kind of application something is."""

import functools
from collections.abc import Callable
from typing import Any

import pytest
from alula._internal.asgi2 import Asgi2Adapter, adapt


async def function(_scope: Any, _receive: Any, _send: Any) -> None: ...


def plain(_scope: Any, _receive: Any, _send: Any) -> Any: ...


def variadic(*_arguments: Any) -> Any: ...


def two_steps(_scope: Any) -> Any: ...


def wsgi(_environ: Any, _start_response: Any) -> Any: ...


async def extended(_extra: Any, _scope: Any, _receive: Any, _send: Any) -> None: ...


class Instance:
    async def __call__(self, _scope: Any, _receive: Any, _send: Any) -> None: ...


class PlainInstance:
    def __call__(self, _scope: Any, _receive: Any, _send: Any) -> Any: ...


class TwoSteps:
    def __init__(self, _scope: Any) -> None: ...

    async def __call__(self, _receive: Any, _send: Any) -> None: ...


class OneStep:
    def __init__(self, _scope: Any, _receive: Any, _send: Any) -> None: ...

    def __await__(self) -> Any: ...


class WsgiInstance:
    def __call__(self, _environ: Any, _start_response: Any) -> Any: ...


ASGI_3: list[Callable[..., Any]] = [
    function,
    plain,
    variadic,
    Instance(),
    Instance().__call__,
    PlainInstance(),
    OneStep,
    functools.partial(extended, None),
    functools.partial(Instance()),
]


@pytest.mark.parametrize("app", ASGI_3, ids=repr)
def test_asgi_3_stays_as_it_is(app: Callable[..., Any]) -> None:
    assert adapt(app) is app


@pytest.mark.parametrize("app", [two_steps, TwoSteps], ids=repr)
def test_asgi_2_is_adapted(app: Callable[..., Any]) -> None:
    adapted = adapt(app)
    assert isinstance(adapted, Asgi2Adapter)
    assert adapt(adapted) is adapted


@pytest.mark.parametrize("app", [wsgi, WsgiInstance()], ids=repr)
def test_wsgi_is_refused(app: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match="takes two arguments, like a WSGI application"):
        adapt(app)
