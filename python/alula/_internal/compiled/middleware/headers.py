"""Raw header lists, read and edited as `starlette.datastructures.MutableHeaders` does.

Names are lower case. A name that somebody sent in capitals is another one, there as here.
"""

from alula._internal.asgi import Message, Scope

RawHeaders = list[tuple[bytes, bytes]]


def own_headers(scope: Scope | Message) -> RawHeaders:
    """The headers of a scope or a message, which gets a list of its own."""
    raw: RawHeaders = list(scope["headers"])
    scope["headers"] = raw
    return raw


def first_header(raw: RawHeaders, name: bytes) -> bytes | None:
    """The value of the first header of this name."""
    for key, value in raw:
        if key == name:
            return value
    return None


def set_header(raw: RawHeaders, name: bytes, value: bytes) -> None:
    """Puts a value where the first header of this name is, or last, and removes the others."""
    found = [index for index, (key, _) in enumerate(raw) if key == name]
    if not found:
        raw.append((name, value))
        return
    for index in reversed(found[1:]):
        del raw[index]
    raw[found[0]] = (name, value)


def remove_header(raw: RawHeaders, name: bytes) -> None:
    """Removes all headers of this name."""
    raw[:] = [item for item in raw if item[0] != name]


def add_vary(raw: RawHeaders, name: bytes) -> None:
    """Joins the Vary headers into one, and adds a name, which may be there already."""
    values = [value for key, value in raw if key == b"vary"]
    set_header(raw, b"vary", b", ".join([*values, name]))
