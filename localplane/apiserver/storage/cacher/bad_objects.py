"""What is stored and is not as it should be: named in the log when it is found, and known for as long as it is there.

The cache itself finds bytes that are no object. Whether an object is one of its kind only the layers above can tell:
they are asked as the judge, about everything that this process has not written itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import CorruptObject
from localplane.apiserver.storage.objects import StoredObject

from .window import Entry

_log = logging.getLogger(__name__)

_MOST_LOGGED = 50
"""So many are named in the log until there is none left. Of more there is only said that there are."""


@dataclass(frozen=True, slots=True)
class ObjectVerdict:
    """Why an object is not as it should be, and whether it is shown to clients all the same."""

    why: str
    is_shown: bool = False


class CondemnedObject(CorruptObject):
    """One that is an object and none of its kind; `stored` is what it would be otherwise."""

    def __init__(self, stored: StoredObject, why: str) -> None:
        super().__init__(stored.key, why)
        self.stored = stored


@dataclass(frozen=True, slots=True)
class BadObject:
    key: str
    verdict: ObjectVerdict

    def __str__(self) -> str:
        if self.verdict.is_shown:
            return f"the object stored under {self.key} is not complete: {self.verdict.why}"
        return f"the object stored under {self.key} can't be read: {self.verdict.why}"


Judge = Callable[[str, JSONObject], ObjectVerdict | None]
"""Given a key and what is stored under it: what is wrong with it, or None."""


class BadObjects:
    """By their keys, in no order."""

    def __init__(self) -> None:
        self._found: dict[str, BadObject] = {}
        self._logged = 0

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[BadObject]:
        return iter(self._found.values())

    def restart(self, entries: Iterable[tuple[str, Entry]]) -> None:
        """The cache was filled anew: what was known before is no news."""
        before, self._found = self._found, {}
        for key, entry in entries:
            if isinstance(entry, CorruptObject):
                if key in before:
                    self._found[key] = before[key]
                self.note(key, ObjectVerdict(entry.why))

    def copy_from(self, other: BadObjects) -> None:
        """What is known elsewhere already is named in no log again."""
        self._found = dict(other._found)
        self._logged = other._logged

    def note(self, key: str, verdict: ObjectVerdict) -> None:
        found = BadObject(key, verdict)
        if self._found.get(key) == found:
            return
        self._found[key] = found
        self._logged += 1
        if self._logged <= _MOST_LOGGED:
            _log.error("%s; everything else is served, and `kctl doctor` tells how to be rid of it", found)
        elif self._logged == _MOST_LOGGED + 1:
            _log.error("more stored objects are not as they should be: `kctl doctor` lists them all")

    def forget(self, key: str) -> None:
        """Something else stands under the key by now, or nothing."""
        if self._found and self._found.pop(key, None) is not None:
            _log.info("the bad object under %s is gone", key)
            if not self._found:
                self._logged = 0
