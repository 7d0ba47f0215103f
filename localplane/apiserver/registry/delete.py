"""Delete: at once, or gracefully, or when the finalizers allow it; one object, or all that a list would show.

Kubernetes: registry/generic/registry/store.go, Delete and DeleteCollection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.request import Request
from localplane.apiserver.storage.errors import KeyNotFound, StorageError
from localplane.apiserver.storage.interface import ObjectList, Preconditions, UpdateOptions
from localplane.apiserver.storage.objects import StoredObject

from .deletion import Grace, before_delete, mark_as_deleting, with_collection_finalizers
from .errors import after_a_write, interpret
from .metadata import finalizers_of, metadata_of
from .reads import list_objects
from .rest import Deleted, DeleteOptions, ListOptions, Result, ValidateCreate

if TYPE_CHECKING:
    from .definition import Definition

_PAGE = 10_000
_WORKERS = 16


class _DeleteNow(Exception):
    """Leaves the loop: nothing has to be waited for."""


class _AlreadyDeleting(Exception):
    """Leaves the loop: somebody else has asked for it before, and nothing changes."""


async def delete(
    definition: Definition,
    request: Request,
    name: str,
    *,
    validate: ValidateCreate | None,
    options: DeleteOptions,
) -> Deleted:
    """`options` may be changed: a strategy settles the grace period in them."""
    deletion = _Deletion(definition, request, definition.key(request.namespace, name), validate, options)
    try:
        return await deletion.run()
    except StorageError as error:
        refusal = interpret(error, resource=definition.resource, name=name)
        raise after_a_write(refusal) if deletion.has_marked else refusal from error
    except APIError as error:
        if deletion.has_marked:
            after_a_write(error)
        raise


class _Deletion:
    """One delete. First the object is marked if anything has to be waited for, then it is removed if nothing has."""

    def __init__(
        self,
        definition: Definition,
        request: Request,
        key: str,
        validate: ValidateCreate | None,
        options: DeleteOptions,
    ) -> None:
        self._definition = definition
        self._request = request
        self._key = key
        self._validate = validate
        self._options = options
        self._marked: Result | None = None
        self._waits = False

    @property
    def has_marked(self) -> bool:
        return self._marked is not None

    async def run(self) -> Deleted:
        hub = self._definition.converter.hub_of(await self._definition.storage.get(self._key))
        grace = before_delete(self._definition, self._request, hub, self._options)
        if grace is Grace.PENDING:
            return self._answer(hub, immediately=False)
        finalizers = finalizers_of(hub)
        if grace is Grace.GRACEFUL or finalizers or self._finalizers(finalizers):
            try:
                self._marked = await self._mark()
            except _AlreadyDeleting:
                return self._answer(hub, immediately=False)
            except _DeleteNow:
                pass
            else:
                if self._waits or self._options.dry_run:
                    return Deleted(self._marked, immediately=not self._waits)
        return await self._remove()

    def _finalizers(self, finalizers: list[str]) -> list[str]:
        policy = self._definition.strategy.default_garbage_collection_policy(self._request)
        return list(with_collection_finalizers(finalizers, self._options, default_policy=policy))

    async def _mark(self) -> Result:
        """Write that the object is being deleted."""
        storage, options = self._definition.storage, self._options
        if options.dry_run:
            marked = await self._step((await storage.get(self._key)).decode())
            return self._definition.converter.from_storage(marked)
        preconditions = Preconditions(options.precondition_uid, options.precondition_resource_version)
        written = await storage.guaranteed_update(self._key, self._step, UpdateOptions(preconditions=preconditions))
        if options.precondition_resource_version is not None:
            options.precondition_resource_version = str(written.revision)  # it was true, and the mark has changed it
        return written

    async def _step(self, current: JSONObject) -> JSONObject:
        converter = self._definition.converter
        hub = converter.from_storage(current)
        if self._validate is not None:
            await self._validate(hub)
        grace = before_delete(self._definition, self._request, hub, self._options)
        if grace is Grace.PENDING:
            raise _AlreadyDeleting
        metadata = metadata_of(hub)
        finalizers = self._finalizers(finalizers_of(hub))
        if finalizers:
            metadata["finalizers"] = finalizers
        else:
            metadata.pop("finalizers", None)
        if grace is Grace.NONE:
            if not finalizers:
                raise _DeleteNow
            mark_as_deleting(metadata)
        self._waits = bool(finalizers) or bool(grace is Grace.GRACEFUL and self._options.grace_period_seconds)
        return converter.to_storage(hub)

    async def _remove(self) -> Deleted:
        storage, options = self._definition.storage, self._options
        preconditions = Preconditions(options.precondition_uid, options.precondition_resource_version)
        if options.dry_run:
            there = await storage.get(self._key)
            preconditions.check(self._key, there)
            await self._check(there)
            return self._answer(there, immediately=True)
        try:
            gone = await storage.delete(self._key, preconditions=preconditions, validate=self._check)
        except KeyNotFound:
            if self._marked is None:
                raise
            gone_already = self._marked  # we said that it may go, and whoever runs it was faster
            return self._answer(gone_already, immediately=True)
        return self._answer(gone, immediately=True)

    async def _check(self, stored: StoredObject) -> None:
        if self._validate is not None:
            await self._validate(self._definition.converter.hub_of(stored))

    def _answer(self, result: Result, *, immediately: bool) -> Deleted:
        """Most kinds answer a deletion with a Status, some with the object that went."""
        if self._definition.returns_deleted_object:
            return Deleted(result, immediately)
        uid = result.uid if isinstance(result, StoredObject) else metadata_of(result).get("uid", "")
        return Deleted(None, immediately, uid)


Deletion = Callable[[str, DeleteOptions], Awaitable[Deleted]]
"""Of the object of this name. Raises NotFound if somebody else was faster."""


async def delete_collection(
    definition: Definition,
    request: Request,
    *,
    validate: ValidateCreate | None,
    options: DeleteOptions,
    selection: ListOptions,
) -> ObjectList:
    """As delete_each, with nothing to do for one but to delete it."""

    async def delete_one(name: str, options: DeleteOptions) -> Deleted:
        return await delete(definition, request, name, validate=validate, options=options)

    return await delete_each(definition, request, delete_one, options=options, selection=selection)


async def delete_each(
    definition: Definition, request: Request, delete: Deletion, *, options: DeleteOptions, selection: ListOptions
) -> ObjectList:
    """The answer is the list of what was there. Not atomic: an error leaves the rest where it is, and invites to try
    again only if nothing was deleted yet."""
    if selection.limit > 0:
        listed = await list_objects(definition, request, selection)
        await _delete_all(request, listed.items, delete, options)
        return listed
    items: list[StoredObject] = []
    page, revision = replace(selection, limit=_PAGE), 0
    while True:
        try:
            listed = await list_objects(definition, request, page)
        except APIError as error:
            if items:
                after_a_write(error)
            raise
        items += listed.items
        revision = revision or listed.revision
        await _delete_all(request, listed.items, delete, options)
        if not listed.continue_token:
            return ObjectList(items, revision)
        page = replace(page, continue_token=listed.continue_token, resource_version="", match="")


async def _delete_all(request: Request, objects: list[StoredObject], delete: Deletion, options: DeleteOptions) -> None:
    """After the first error nobody begins with another object, but what was begun is finished: a cancelled worker
    could leave an object marked that should have gone."""
    names = _names(objects)
    failures: list[APIError] = []
    deleted = 0

    async def work() -> None:
        nonlocal deleted
        slices = request.work.slices()
        for name in names:
            if slices.is_over:  # a store in memory never lets us wait
                await slices.next()
            if failures:
                return
            try:
                await delete(name, options.copy())
            except NotFound:
                continue  # somebody else deleted it: that is what was wanted
            except APIError as error:
                failures.append(error)
            else:
                deleted += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(min(_WORKERS, len(objects))):
            group.create_task(work())
    if failures:
        # Any of them may have been half done, and then says so by not inviting.
        is_untouched = not deleted and all(failure.retry_after_seconds for failure in failures)
        raise failures[0] if is_untouched else after_a_write(failures[0])


def _names(objects: list[StoredObject]) -> Iterator[str]:
    """The last part of the key is the name."""
    return (obj.key.rpartition("/")[2] for obj in objects)
