"""Everything that somebody else wrote is judged once: when the feed brings it, or in the background after a fill.

An object that is condemned stays in the index as one that can't be read, and those who pass over such objects are told
that it has gone. A judge who changes his mind, because a kind is served otherwise, is asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from localplane.apiserver.storage.errors import CorruptObject

from .bad_objects import BadObjects, CondemnedObject, Judge, ObjectVerdict
from .index import ObjectIndex
from .watchers import Watchers
from .window import Entry, LoggedEvent

_AT_ONCE: Final = 100


class Judgement:
    """Without a judge, only what is no object at all is bad. `revision` is how far the cache has come."""

    def __init__(self, root: str, index: ObjectIndex, watchers: Watchers, revision: Callable[[], int]) -> None:
        self.bad_objects = BadObjects()
        self._root = root
        self._index = index
        self._watchers = watchers
        self._revision = revision
        self._judge: Judge | None = None
        self._is_inherited = False
        self._open: dict[str, None] = {}
        self._has_open = asyncio.Event()

    def begin(self, judge: Judge) -> None:
        """Ask about everything that is stored, unless it was judged in another cache already, and, from now on, about
        everything that somebody else writes."""
        self._judge = judge
        if not self._is_inherited:
            self.again(*self._index.smallest_kinds_first(self._root))

    def inherit(self, other: Judgement) -> None:
        """The cache was filled with what another one holds, and with what was thought of it there."""
        self.bad_objects.copy_from(other.bad_objects)
        self._open = dict(other._open)
        self._is_inherited = other._judge is not None

    def again(self, *prefixes: str) -> None:
        """What is below these prefixes (`/configmaps/`): the judge may think otherwise of it now."""
        if self._judge is not None:
            self._open |= dict.fromkeys(prefixes)
            self._has_open.set()

    def restart(self, entries: Iterable[tuple[str, Entry]]) -> None:
        """The cache was filled anew."""
        self.bad_objects.restart(entries)
        self.again(*self._index.smallest_kinds_first(self._root))

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._has_open.wait()
            self._has_open.clear()
            await self.settle()

    async def settle(self) -> None:
        """Until everything has been judged that was open before the call."""
        for prefix in list(self._open):
            await self._judge_below(prefix)

    def of(self, entry: Entry) -> Entry:
        """What somebody else wrote, as it is to be kept."""
        if isinstance(entry, CorruptObject):
            self.bad_objects.note(entry.key, ObjectVerdict(entry.why))
            return entry
        verdict = None if self._judge is None else self._judge(entry.key, entry.decode())
        if verdict is None:
            self.bad_objects.forget(entry.key)
            return entry
        self.bad_objects.note(entry.key, verdict)
        return entry if verdict.is_shown else CondemnedObject(entry, verdict.why)

    async def _judge_below(self, prefix: str) -> None:
        """In slices: others want to be served meanwhile."""
        for number, entry in enumerate(self._index.listing(self._root + prefix).entries):
            self._judge_stored(entry)
            if number % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(0)
        self._open.pop(prefix, None)

    def _judge_stored(self, known: Entry) -> None:
        """One that was condemned before may be good by now."""
        if self._index.get(known.key) is not known:
            return  # written meanwhile
        judged = self.of(known.stored if isinstance(known, CondemnedObject) else known)
        if isinstance(judged, CorruptObject) != isinstance(known, CorruptObject):
            event = LoggedEvent(known.key, self._revision(), known, judged, 0.0)
            self._index.apply(event)
            self._watchers.tell_of_condemned(event)
