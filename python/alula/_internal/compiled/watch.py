"""Notices that the routes of an application were changed, at next to no cost for a request."""

# pyright: reportPrivateUsage=false

from collections.abc import Iterable
from typing import Any, SupportsIndex


class Watch:
    """Watches the lists of routes of several routers.

    Each list is replaced by one that is equal and tells when it is changed.
    """

    def __init__(self, routers: Iterable[Any]) -> None:
        self._changed = False
        self._routers: list[tuple[Any, Routes, int]] = []
        for router in routers:
            router.routes = Routes(router.routes, self)
            self._routers.append((router, router.routes, router._routes_version))

    def is_over(self) -> bool:
        """Whether a list was changed or replaced, or a router says that it has other routes."""
        if self._changed:
            return True
        for router, routes, version in self._routers:
            if router.routes is not routes or router._routes_version != version:
                return True
        return False

    def end(self) -> None:
        """A list was changed."""
        self._changed = True


class Routes(list[Any]):
    """A list of routes that tells its watch when it is changed."""

    def __init__(self, routes: Iterable[Any], watch: Watch) -> None:
        super().__init__(routes)
        self._watch = watch

    def append(self, item: Any, /) -> None:
        self._watch.end()
        super().append(item)

    def extend(self, items: Iterable[Any], /) -> None:
        self._watch.end()
        super().extend(items)

    def insert(self, index: SupportsIndex, item: Any, /) -> None:
        self._watch.end()
        super().insert(index, item)

    def remove(self, item: Any, /) -> None:
        self._watch.end()
        super().remove(item)

    def pop(self, index: SupportsIndex = -1, /) -> Any:
        self._watch.end()
        return super().pop(index)

    def clear(self) -> None:
        self._watch.end()
        super().clear()

    def sort(self, **options: Any) -> None:
        self._watch.end()
        super().sort(**options)

    def reverse(self) -> None:
        self._watch.end()
        super().reverse()

    def __setitem__(self, index: Any, item: Any, /) -> None:
        self._watch.end()
        super().__setitem__(index, item)

    def __delitem__(self, index: Any, /) -> None:
        self._watch.end()
        super().__delitem__(index)

    def __iadd__(self, items: Iterable[Any], /) -> "Routes":  # type: ignore[override, misc]
        self._watch.end()
        super().extend(items)
        return self

    def __imul__(self, count: SupportsIndex, /) -> "Routes":
        self._watch.end()
        super().__imul__(count)
        return self
