"""A store that can't be reached for a while, because somebody wants to see what happens then.

While it lasts, what a backend can do is hidden by functions that fail as those of a lost store do: this one instance is
changed, and changed back. So nothing stands between the storage and its store the rest of the time, and all stores are
lost alike. An etcd of our own is not touched: whoever looks after it would start another one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, Final, NoReturn

from .backend import Backend, Batch
from .errors import Unavailable

STORE: Final = "store"
"""How a rule calls what is down then."""

_CALLS: Final = ("get", "range", "count", "put", "delete", "replace", "current_revision", "compact", "status")
_LOST: Final = "the store can't be reached: a fault was asked for"


class StoreOutage:
    """`lose_feed` is called when it begins: whoever follows the store has to notice."""

    def __init__(self, backend: Backend, lose_feed: Callable[[], None]) -> None:
        self._backend = backend
        self._lose_feed = lose_feed
        self._wishes = 0

    def begin(self) -> None:
        """It lasts until all who began it have ended it."""
        self._wishes += 1
        if self._wishes == 1:
            vars(self._backend).update(dict.fromkeys(_CALLS, _refuse), watch=_no_watch)
            self._lose_feed()

    def end(self) -> None:
        self._wishes -= 1
        if not self._wishes:
            for name in (*_CALLS, "watch"):
                del vars(self._backend)[name]


async def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise Unavailable(_LOST)


def _no_watch(*_: Any, **__: Any) -> _LostWatch:
    return _LostWatch()


class _LostWatch:
    """A BackendWatch that ends with the first look at it."""

    def __aiter__(self) -> AsyncIterator[Batch]:
        return self

    async def __anext__(self) -> Batch:
        raise Unavailable(_LOST)

    async def request_progress(self) -> None:
        raise Unavailable(_LOST)

    async def close(self) -> None:
        """There is nothing to close."""
