"""The present: every object under the registry's root, by key and in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sortedcontainers import SortedDict

from localplane.apiserver.storage.backend import prefix_end

from .window import Entry, LoggedEvent

_MOST_LISTINGS = 1_000


@dataclass(slots=True)
class Listing:
    """Everything below a prefix, in key order, and what readers have made of it. Shared: not to be changed."""

    entries: list[Entry]
    memo: dict[Any, Any]


class ObjectIndex:
    """A listing is kept until something below its prefix changes, so that lists of a quiet resource cost nothing.

    Clients choose the prefixes: an empty listing is not worth its place, and the oldest makes room for a new one.
    """

    def __init__(self) -> None:
        self._entries: SortedDict[str, Entry] = SortedDict()
        self._listings: dict[str, Listing] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> Entry | None:
        return self._entries.get(key)

    def replace(self, entries: Iterable[tuple[str, Entry]]) -> None:
        self._entries = SortedDict(entries)
        self._listings.clear()

    def copy_from(self, other: ObjectIndex) -> None:
        """The same entries as another index has, which are shared."""
        self._entries = other._entries.copy()
        self._listings.clear()

    def apply(self, event: LoggedEvent) -> None:
        if event.new is None:
            self._entries.pop(event.key, None)
        else:
            self._entries[event.key] = event.new
        if self._listings:
            for prefix in prefixes_of(event.key):
                self._listings.pop(prefix, None)

    def listing(self, prefix: str) -> Listing:
        """Everything below a prefix, which ends in `/`."""
        listing = self._listings.get(prefix)
        if listing is None:
            entries = self._entries
            keys = entries.irange(prefix, prefix_end(prefix), inclusive=(True, False))
            listing = Listing(list(map(entries.__getitem__, keys)), {})
            if listing.entries:
                self._keep(prefix, listing)
        return listing

    def _keep(self, prefix: str, listing: Listing) -> None:
        if len(self._listings) >= _MOST_LISTINGS:
            del self._listings[next(iter(self._listings))]
        self._listings[prefix] = listing

    def count(self, prefix: str) -> int:
        return self._entries.bisect_left(prefix_end(prefix)) - self._entries.bisect_left(prefix)

    def smallest_kinds_first(self, root: str) -> list[str]:
        """The prefixes below the root: what a server itself depends on is seldom much."""
        sizes: dict[str, int] = {}
        at = root + "/"
        while (position := self._entries.bisect_left(at)) < len(self._entries):
            key: str = self._entries.keys()[position]
            if not key.startswith(root + "/"):
                break
            prefix = key[: key.find("/", len(root) + 1) + 1]
            if not prefix.startswith(root + "/") or len(prefix) <= len(root) + 1:  # nothing is below it
                at = key + "\x00"
                continue
            sizes[prefix[len(root) :]] = self.count(prefix)
            at = prefix_end(prefix)
        return sorted(sizes, key=sizes.__getitem__)

    def page(self, prefix: str, start: str) -> Iterator[Entry]:
        """Entries below the prefix from the key `start` on."""
        entries = self._entries
        return (entries[key] for key in entries.irange(start, prefix_end(prefix), inclusive=(True, False)))

    def count_from(self, prefix: str, start: str) -> int:
        return self._entries.bisect_left(prefix_end(prefix)) - self._entries.bisect_left(start)


def prefixes_of(key: str) -> Iterator[str]:
    """Every prefix that ends in `/` and holds the key, the shortest first: `/`, `/registry/`, …"""
    at = key.find("/")
    while at >= 0:
        yield key[: at + 1]
        at = key.find("/", at + 1)


@dataclass(slots=True)
class Past:
    """The state as it was before the `later` events, which are in order and reach to the present."""

    before: dict[str, Entry | None]

    @classmethod
    def of(cls, later: Iterable[LoggedEvent]) -> Past:
        before: dict[str, Entry | None] = {}
        for event in later:
            before.setdefault(event.key, event.old)
        return cls(before)

    def entries(self, current: Iterable[Entry], start: str) -> Iterator[Entry]:
        """Those from the key `start` on, given those of today: the same ones, where nothing has changed since."""
        return self._undone(current, start) if self.before else iter(current)

    def _undone(self, current: Iterable[Entry], start: str) -> Iterator[Entry]:
        restored = deque(sorted(self._restored(start), key=lambda entry: entry.key))
        for entry in current:
            while restored and restored[0].key <= entry.key:
                yield restored.popleft()
            if entry.key not in self.before:
                yield entry
        yield from restored

    def count(self, index: ObjectIndex, prefix: str, start: str) -> int:
        """How many those are."""
        now = index.count_from(prefix, start)
        changed = sum(1 for key in self.before if key >= start and index.get(key) is not None)
        return now - changed + len(self._restored(start))

    def _restored(self, start: str) -> list[Entry]:
        return [entry for key, entry in self.before.items() if entry is not None and key >= start]
