"""Taking snapshots of a registry, and putting it back to one.

A snapshot is taken from the cache, so that it costs the store nothing. To restore one is to change whatever differs
from it, all or nothing (`Backend.replace`): resourceVersions go on from where they are, and whoever watches sees what
has changed. Some keys tell of the server itself, not of what it stores: they are no part of a snapshot, and stay.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from localplane import __version__
from localplane.apimachinery.time_slices import TimeSlices

from .backend import Backend, KeyValue, Wanted, prefix_end
from .cacher import Cacher
from .errors import ResourceVersionTooLarge, ResourceVersionTooOld, StorageError
from .objects import StoredObject
from .snapshot import Header, Snapshot, encode

_PATIENCE: Final = 20
"""How often a reader's patience: it is some three seconds."""

Lifetimes = Mapping[str, timedelta]
"""By the prefix of a resource (`/events/`): how long its objects live after they were written."""


class NotEmpty(StorageError):
    """A store that is to begin with a snapshot holds something already."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What was stored at a revision, in key order, with keys below the root."""

    revision: int
    objects: list[KeyValue]

    def encoded(self, *, plane: str, store: str) -> Iterator[bytes]:
        """As a snapshot that was taken now, piece by piece."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return encode(Header(self.revision, len(self.objects), now, plane, store, __version__), self.objects)


class Archive:
    """`own` are the keys, below the root, that tell of the server itself."""

    def __init__(self, cacher: Cacher, *, own: Collection[str], lifetimes: Callable[[], Lifetimes]) -> None:
        self._cacher = cacher
        self._own = own
        self._lifetimes = lifetimes
        self._restoring: asyncio.Task[int] | None = None

    async def take(self) -> Taken:
        """The present. Raises StorageError."""
        cacher = self._cacher
        cacher.check_ready()
        await cacher.catch_up()
        root, revision, slices = cacher.root, cacher.revision, TimeSlices()
        objects: list[KeyValue] = []
        for entry in cacher.index.listing(root + "/").entries:
            key = entry.key.removeprefix(root)
            if key in self._own:
                continue
            if isinstance(entry, StoredObject) and (value := entry.stored) is not None:
                objects.append(KeyValue(key, value, entry.revision))
            elif (stored := await self._as_stored(entry.key, revision)) is not None:
                objects.append(KeyValue(key, stored.value, stored.revision))
            if slices.is_over:
                await slices.next()
        return Taken(revision, objects)

    async def restore(self, snapshot: Snapshot) -> int:
        """Returns the revision afterwards, which everybody can read. It goes on if the caller goes away. Raises
        StorageError."""
        while self._restoring is not None and not self._restoring.done():
            await asyncio.wait([self._restoring])
        self._restoring = asyncio.create_task(self._restore(snapshot))
        return await asyncio.shield(self._restoring)

    async def _restore(self, snapshot: Snapshot) -> int:
        cacher = self._cacher
        root = cacher.root
        stay = [(await cacher.backend.get(root + key)).kv for key in self._own]
        wanted = await wanted_objects(snapshot, root, own=self._own, lifetimes=self._lifetimes())
        wanted += [Wanted(kv.key, kv.value) for kv in stay if kv is not None]
        wanted.sort(key=_key_of)
        start = root + "/"
        revision = await cacher.backend.replace(start, prefix_end(start), wanted)
        for _ in range(_PATIENCE):  # it is done: a cache that has much to read is no reason to say otherwise
            with suppress(ResourceVersionTooLarge):
                await cacher.catch_up()
                break
        return revision

    async def _as_stored(self, key: str, revision: int) -> KeyValue | None:
        """What can't be read, or was written by others in a form of their own, goes along as it is."""
        try:
            return (await self._cacher.backend.get(key, revision=revision)).kv
        except ResourceVersionTooOld:
            return (await self._cacher.backend.get(key)).kv


async def begin(backend: Backend, snapshot: Snapshot, root: str, *, own: Collection[str], lifetimes: Lifetimes) -> None:
    """Let an empty store begin as a snapshot, with revisions above all that were seen where it was taken; a watch from
    before that is told so. Raises NotEmpty."""
    start = root + "/"
    if await backend.count(start, prefix_end(start)):
        raise NotEmpty("there are objects already")
    if backend.exclusive:
        await backend.compact(await backend.advance_revision(snapshot.header.revision))
    wanted = await wanted_objects(snapshot, root, own=own, lifetimes=lifetimes)
    await backend.replace(start, prefix_end(start), wanted)


async def wanted_objects(snapshot: Snapshot, root: str, *, own: Collection[str], lifetimes: Lifetimes) -> list[Wanted]:
    wanted: list[Wanted] = []
    slices = TimeSlices()
    for kv in snapshot.objects:
        if kv.key not in own:
            ttl = next((ttl for prefix, ttl in lifetimes.items() if kv.key.startswith(prefix)), None)
            wanted.append(Wanted(root + kv.key, kv.value, ttl))
        if slices.is_over:
            await slices.next()
    return wanted


def _key_of(wanted: Wanted) -> str:
    return wanted.key
