"""Create, delete and guaranteed update: each ends in one compare-and-swap, and `certain_writes` sees it to its end.

The loops start from a suggestion when there is one (the cacher's copy, usually current), which saves the read before
the write. A suggestion is never trusted for a refusal, nor for "nothing changed": both are said of live data only.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.backend import Backend, KeyValue
from localplane.apiserver.storage.errors import (
    CompareFailed,
    CorruptObject,
    InvalidResourceVersion,
    KeyExists,
    KeyNotFound,
    PreconditionFailed,
    ResourceVersionOnCreate,
)
from localplane.apiserver.storage.interface import Preconditions, UpdateFunc, UpdateOptions, Validation
from localplane.apiserver.storage.keys import parse_resource_version
from localplane.apiserver.storage.objects import Encoded, StoredObject

from .certain_writes import CertainWrites


async def create(writes: CertainWrites, key: str, obj: JSONObject, *, ttl: timedelta | None) -> StoredObject:
    encoded = Encoded.of(obj)
    if _has_revision(obj.get("metadata") or {}):
        raise ResourceVersionOnCreate
    try:
        revision = await writes.put(key, encoded.value, expected=0, ttl=ttl)
    except CompareFailed as error:
        raise KeyExists(key) from error
    return StoredObject.from_encoded(key, encoded, revision)


def _has_revision(metadata: JSONObject) -> bool:
    """What is no revision, and no number for one, is left aside."""
    try:
        return parse_resource_version(str(metadata.get("resourceVersion") or "")) != 0
    except InvalidResourceVersion:
        return False


@dataclass(slots=True)
class _State:
    """What a loop works on. `live` says that it came from the store in this very call, and `stale` that it is to be
    stored again even as it is."""

    object: StoredObject | None
    live: bool
    stale: bool = False

    @property
    def revision(self) -> int:
        return self.object.revision if self.object else 0


async def _read(backend: Backend, key: str, *, ignore_not_found: bool) -> _State:
    return _state_of(key, (await backend.get(key)).kv, ignore_not_found=ignore_not_found)


def _state_of(key: str, kv: KeyValue | None, *, ignore_not_found: bool) -> _State:
    if kv is not None:
        return _State(StoredObject.from_stored(key, kv.value, kv.revision), live=True, stale=kv.stale)
    if ignore_not_found:
        return _State(None, live=True)
    raise KeyNotFound(key)


async def delete(
    backend: Backend,
    writes: CertainWrites,
    key: str,
    *,
    preconditions: Preconditions | None,
    validate: Validation | None,
    suggestion: StoredObject | None,
) -> StoredObject:
    state = _State(suggestion, live=False) if suggestion else await _read(backend, key, ignore_not_found=False)
    while True:
        current = state.object
        assert current is not None, "a missing object has raised KeyNotFound"
        try:
            if preconditions is not None:
                preconditions.check(key, current)
            if validate is not None:
                await validate(current)
        except Exception:  # whatever a validation raises is its own; it only counts if it saw live data
            if state.live:
                raise
            fresh = await _read(backend, key, ignore_not_found=False)
            if fresh.revision == state.revision:
                raise
            state = fresh
            continue
        try:
            revision = await writes.delete(key, expected=state.revision)
        except CompareFailed as error:
            state = _state_of(key, error.current, ignore_not_found=False)
            continue
        return current.at_revision(revision)


async def delete_corrupt(backend: Backend, writes: CertainWrites, key: str) -> StoredObject:
    """Delete bytes that nobody can read. An object that can be read is refused: there is a proper way for it."""
    kv = (await backend.get(key)).kv
    while True:
        if kv is None:
            raise KeyNotFound(key)
        try:
            StoredObject.from_stored(key, kv.value, kv.revision)
        except CorruptObject:
            pass
        else:
            raise PreconditionFailed(key, f"the object stored under {key} can be read: delete it in the ordinary way")
        try:
            revision = await writes.delete(key, expected=kv.revision)
        except CompareFailed as error:
            kv = error.current
            continue
        return StoredObject.from_object(key, {}, revision)


async def guaranteed_update(
    backend: Backend,
    writes: CertainWrites,
    key: str,
    update: UpdateFunc,
    options: UpdateOptions,
    *,
    suggestion: StoredObject | None,
) -> StoredObject:
    ignore_not_found = options.ignore_not_found
    state = (
        _State(suggestion, live=False) if suggestion else await _read(backend, key, ignore_not_found=ignore_not_found)
    )
    while True:
        try:
            encoded = Encoded.of(await _updated(key, state, update, options.preconditions))
        except Exception:  # as in delete: the caller's own error, which counts only if it saw live data
            if state.live:
                raise
            fresh = await _read(backend, key, ignore_not_found=ignore_not_found)
            if fresh.revision == state.revision:
                raise
            state = fresh
            continue
        if state.object is not None and encoded.value == state.object.stored and not state.stale:
            if state.live:
                return state.object
            fresh = await _read(backend, key, ignore_not_found=ignore_not_found)
            if fresh.object is not None and fresh.object.stored == encoded.value and not fresh.stale:
                return fresh.object
            state = fresh
            continue
        try:
            revision = await writes.put(key, encoded.value, expected=state.revision, ttl=options.ttl)
        except CompareFailed as error:
            state = _state_of(key, error.current, ignore_not_found=ignore_not_found)
            continue
        return StoredObject.from_encoded(key, encoded, revision)


async def _updated(key: str, state: _State, update: UpdateFunc, preconditions: Preconditions | None) -> JSONObject:
    if preconditions is not None:
        preconditions.check(key, state.object or StoredObject.from_object(key, {}, 0))
    return await update(state.object.decode() if state.object else {})
