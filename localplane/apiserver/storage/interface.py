"""What the registry asks of storage, for one resource: Kubernetes' storage.Interface.

`store.Store` answers from a backend, `cacher.CachedStorage` from memory; one suite in tests/contract holds both
to it. Keys are relative to the root and start with the resource's prefix: `/configmaps/default/a`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final, Protocol

from localplane.apimachinery.objects import JSONObject

from .errors import PreconditionFailed, StorageError
from .objects import StoredObject

Predicate = Callable[[StoredObject], bool]
"""Decides whether a reader wants an object. None stands for "all of them", so that nothing is asked."""

UpdateFunc = Callable[[JSONObject], Awaitable[JSONObject]]
"""Given a copy of the current object (empty when there is none), returns what should be stored. May run several
times; an error it raises ends the update, unless it was given stale data, in which case it gets a second try."""

Validation = Callable[[StoredObject], Awaitable[None]]
"""Raises when the object must not be deleted. Only an error about the live object counts."""


class EventType(StrEnum):
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"
    ERROR = "ERROR"


class Match(StrEnum):
    """resourceVersionMatch."""

    UNSET = ""
    EXACT = "Exact"
    NOT_OLDER_THAN = "NotOlderThan"


@dataclass(frozen=True, slots=True)
class Preconditions:
    """What must be true of the live object before a write is carried out. `deleting`: that it is to go, which a
    snapshot that brings it back makes untrue."""

    uid: str | None = None
    resource_version: str | None = None
    deleting: bool = False

    def check(self, key: str, obj: StoredObject) -> None:
        uid = obj.uid
        if self.uid is not None and self.uid != uid:
            raise PreconditionFailed(
                key, f"Precondition failed: UID in precondition: {self.uid}, UID in object meta: {uid}"
            )
        if self.resource_version is not None and self.resource_version != str(obj.revision):
            raise PreconditionFailed(
                key,
                f"Precondition failed: ResourceVersion in precondition: {self.resource_version}, "
                f"ResourceVersion in object meta: {obj.revision}",
            )
        if self.deleting and not obj.is_deleting:
            raise PreconditionFailed(key, "Precondition failed: it is not being deleted any more")


@dataclass(frozen=True, slots=True)
class ListOptions:
    """`recursive` lists everything below the key; without it the list holds the one object at the key.

    `only_readable` leaves out what can't be read, which otherwise fails the list: for readers inside of the server, who
    must go on whatever somebody has stored. `remembered` asks for a past that the store may have compacted already, for
    people: only a cache can have it.
    """

    resource_version: str = ""
    match: Match = Match.UNSET
    limit: int = 0
    continue_token: str = ""
    predicate: Predicate | None = None
    recursive: bool = True
    only_readable: bool = False
    remembered: bool = False


@dataclass(frozen=True, slots=True)
class UpdateOptions:
    """With `ignore_not_found` an absent object is updated from an empty one, that is, created. `ttl` is how long the
    object stays after this."""

    ignore_not_found: bool = False
    preconditions: Preconditions | None = None
    ttl: timedelta | None = None


UNCONDITIONAL: Final = UpdateOptions()


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """`send_initial_events`: None is the old way, in which the resourceVersion decides ("" and "0" send them).

    `timeout` is how long the reader means to stay: a bookmark is sent shortly before. With `only_readable` an object
    that can't be read any more looks like one that was deleted, and does not end the watch.
    """

    resource_version: str = ""
    predicate: Predicate | None = None
    recursive: bool = True
    allow_bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout: timedelta | None = None
    only_readable: bool = False


@dataclass(slots=True)
class ObjectList:
    """`remaining` is None where it can't be told, because a predicate is in the way.

    `memo`, if there is one, is shared by all who get these very items: what was made of them can be kept there.
    `left_out` is how many of a whole list could not be read, for those who asked for the others.
    """

    items: list[StoredObject]
    revision: int
    continue_token: str = ""
    remaining: int | None = None
    memo: dict[Any, Any] | None = None
    left_out: int = 0


@dataclass(slots=True)
class WatchEvent:
    """One thing a watch says. A bookmark has no object; an error has neither object nor successor.

    `readable` goes with the error about an object that can't be read: what the change means to those who pass it over.
    """

    type: EventType
    revision: int
    object: StoredObject | None = None
    error: StorageError | None = None
    initial_events_end: bool = False
    readable: WatchEvent | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    object_count: int
    estimated_average_size: int


class Watch(Protocol):
    """An open watch: iterate over it, or take what has gathered. It ends by itself when the reader is too slow,
    after an ERROR event, or when the storage closes; the reader goes on from the last revision it saw."""

    def __aiter__(self) -> AsyncIterator[WatchEvent]: ...
    async def __anext__(self) -> WatchEvent: ...
    async def take(self) -> list[WatchEvent]:
        """All events that have gathered, waiting for the first; an empty list means that the watch has ended."""

    async def stop(self) -> None: ...


class Storage(Protocol):
    async def create(self, key: str, obj: JSONObject, *, ttl: timedelta | None = None) -> StoredObject:
        """Store a new object. Raises KeyExists, ResourceVersionOnCreate, InvalidObject."""

    async def get(self, key: str, *, resource_version: str = "") -> StoredObject:
        """The object, at least as new as `resource_version` ("": as new as there is). Raises KeyNotFound."""

    def peek(self, key: str) -> StoredObject | None:
        """The newest version that is at hand without a question to the store. It may be stale, and there may be none:
        good for guesses only."""

    async def list(self, key: str, options: ListOptions) -> ObjectList: ...

    async def delete(
        self,
        key: str,
        *,
        preconditions: Preconditions | None = None,
        validate: Validation | None = None,
        suggestion: StoredObject | None = None,
        even_if_corrupt: bool = False,
    ) -> StoredObject:
        """Delete and return the last state, at the delete's own revision.

        `suggestion` may be stale: it saves a read when it is not, and is never trusted for a refusal.
        `even_if_corrupt` deletes only an object that can't be read; the caller must mean it.
        """

    async def guaranteed_update(
        self,
        key: str,
        update: UpdateFunc,
        options: UpdateOptions = UNCONDITIONAL,
        *,
        suggestion: StoredObject | None = None,
    ) -> StoredObject:
        """Read, change and write until nobody else got in between. Writes nothing when nothing changed.

        `suggestion` is as for delete.
        """

    async def watch(self, key: str, options: WatchOptions) -> Watch: ...

    async def stats(self) -> Stats: ...

    async def current_revision(self) -> int: ...

    def compacted_revision(self) -> int:
        """Revisions below this one are known to be gone; 0 when nothing is known."""

    def ready(self) -> bool: ...
