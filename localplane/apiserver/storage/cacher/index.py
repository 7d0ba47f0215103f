"""The present: every object under the registry's root, by key and in order."""

from __future__ import annotations

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
            listing = Listing([entries[key] for key in keys], {})
            if listing.entries:
                self._keep(prefix, listing)
        return listing

    def _keep(self, prefix: str, listing: Listing) -> None:
        if len(self._listings) >= _MOST_LISTINGS:
            del self._listings[next(iter(self._listings))]
        self._listings[prefix] = listing

    def count(self, prefix: str) -> int:
        return self._entries.bisect_left(prefix_end(prefix)) - self._entries.bisect_left(prefix)

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


def undo(current: Iterable[Entry], later: Iterable[LoggedEvent], prefix: str) -> list[Entry]:
    """The state below a prefix as it was before the `later` events, which are in order and reach to the present."""
    state = {entry.key: entry for entry in current}
    for event in reversed(list(later)):
        if not event.key.startswith(prefix):
            continue
        if event.old is None:
            state.pop(event.key, None)
        else:
            state[event.key] = event.old
    return [state[key] for key in sorted(state)]
