"""The class that puts the verbs together for one resource."""

from __future__ import annotations

from datetime import timedelta

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.backend import Backend, prefix_end
from localplane.apiserver.storage.interface import (
    UNCONDITIONAL,
    ListOptions,
    ObjectList,
    Preconditions,
    Stats,
    UpdateFunc,
    UpdateOptions,
    Validation,
    Watch,
    WatchOptions,
)
from localplane.apiserver.storage.keys import KeySchema
from localplane.apiserver.storage.objects import StoredObject

from . import reads, writes
from . import watch as watching
from .certain_writes import CertainWrites


class Store:
    """`certain_writes` is shared by all resources of a backend; one alone has its own."""

    def __init__(self, backend: Backend, keys: KeySchema, *, certain_writes: CertainWrites | None = None) -> None:
        self._backend = backend
        self._keys = keys
        self._writes = CertainWrites(backend) if certain_writes is None else certain_writes

    async def create(self, key: str, obj: JSONObject, *, ttl: timedelta | None = None) -> StoredObject:
        return await writes.create(self._writes, self._keys.one(key), obj, ttl=ttl)

    async def get(self, key: str, *, resource_version: str = "") -> StoredObject:
        return await reads.get(self._backend, self._keys.one(key), resource_version=resource_version)

    def peek(self, key: str) -> StoredObject | None:  # noqa: ARG002 - nothing is at hand here
        return None

    async def list(self, key: str, options: ListOptions) -> ObjectList:
        prefix = self._keys.below(key) if options.recursive else self._keys.one(key)
        return await reads.list_objects(self._backend, prefix, options)

    async def delete(
        self,
        key: str,
        *,
        preconditions: Preconditions | None = None,
        validate: Validation | None = None,
        suggestion: StoredObject | None = None,
        even_if_corrupt: bool = False,
    ) -> StoredObject:
        absolute = self._keys.one(key)
        if even_if_corrupt:
            return await writes.delete_corrupt(self._backend, self._writes, absolute)
        return await writes.delete(
            self._backend,
            self._writes,
            absolute,
            preconditions=preconditions,
            validate=validate,
            suggestion=suggestion,
        )

    async def guaranteed_update(
        self,
        key: str,
        update: UpdateFunc,
        options: UpdateOptions = UNCONDITIONAL,
        *,
        suggestion: StoredObject | None = None,
    ) -> StoredObject:
        return await writes.guaranteed_update(
            self._backend, self._writes, self._keys.one(key), update, options, suggestion=suggestion
        )

    async def watch(self, key: str, options: WatchOptions) -> Watch:
        prefix = self._keys.below(key) if options.recursive else self._keys.one(key)
        return await watching.watch(self._backend, prefix, options)

    async def stats(self) -> Stats:
        page = await self._backend.range(self._keys.prefix, prefix_end(self._keys.prefix))
        total = sum(len(kv.value) for kv in page.kvs)
        return Stats(page.count, total // page.count if page.count else 0)

    async def current_revision(self) -> int:
        return await self._backend.current_revision()

    def compacted_revision(self) -> int:
        return self._backend.compacted_revision

    def ready(self) -> bool:
        return True
