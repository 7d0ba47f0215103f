"""The storage of definitions: whoever wrote one gets the answer when it is served.

Kubernetes: pkg/registry/customresourcedefinition/etcd.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from localplane.apimachinery.errors import Conflict
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.errors import interpret
from localplane.apiserver.registry.rest import (
    Deleted,
    DeleteOptions,
    Result,
    Update,
    Updated,
    ValidateCreate,
    WriteOptions,
)
from localplane.apiserver.registry.store import Store
from localplane.apiserver.request import Request
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import Preconditions, UpdateOptions

from .status import condition, set_condition

FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"
Written = Callable[[str], Awaitable[None]]
"""Told the name of a definition that was written, or is gone. The writer waits for it."""

_PENDING: Final = condition(
    "Terminating",
    "True",
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
)


class DefinitionStore(Store):
    def __init__(self, definition: Definition, written: Written) -> None:
        super().__init__(definition)
        self._written = written

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        result = await super().create(request, obj, validate=validate, options=options)
        if not options.dry_run:
            await self._written(obj["metadata"]["name"])
        return result

    async def update(self, request: Request, update: Update) -> Updated:
        done = await super().update(request, update)
        if not update.options.dry_run:
            await self._written(update.name)
        return done

    async def delete(
        self, request: Request, name: str, *, validate: ValidateCreate | None, options: DeleteOptions
    ) -> Deleted:
        """The first deletion only says what is to come: the objects go first."""
        try:
            hub = self.definition.converter.hub_of(await self.definition.storage.get(self.definition.key("", name)))
            self._check(name, hub["metadata"], options)
            if hub["metadata"].get("deletionTimestamp"):
                return await super().delete(request, name, validate=validate, options=options)
            marked = await self._mark(name, hub["metadata"]["uid"], validate, options)
        except StorageError as error:
            raise interpret(error, resource=self.definition.resource, name=name) from error
        if not options.dry_run:
            await self._written(name)
        return Deleted(marked, immediately=False)

    def _check(self, name: str, metadata: JSONObject, options: DeleteOptions) -> None:
        for wanted, key, what in (
            (options.precondition_uid, "uid", "UID"),
            (options.precondition_resource_version, "resourceVersion", "ResourceVersion"),
        ):
            if wanted is not None and wanted != metadata.get(key):
                why = f"Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {metadata[key]}"
                raise Conflict.of(self.definition.resource, name, why)

    async def _mark(self, name: str, uid: str, validate: ValidateCreate | None, options: DeleteOptions) -> Result:
        converter, storage, key = self.definition.converter, self.definition.storage, self.definition.key("", name)

        async def step(current: JSONObject) -> JSONObject:
            hub = converter.from_storage(current)
            if validate is not None:
                await validate(hub)
            metadata = hub["metadata"]
            metadata.setdefault("deletionTimestamp", now())
            if FINALIZER not in (metadata.get("finalizers") or ()):
                metadata["finalizers"] = [*(metadata.get("finalizers") or ()), FINALIZER]
            set_condition(hub, dict(_PENDING))
            return converter.to_storage(hub)

        if options.dry_run:
            return converter.from_storage(await step((await storage.get(key)).decode()))
        preconditions = Preconditions(options.precondition_uid or uid, options.precondition_resource_version)
        return await storage.guaranteed_update(key, step, UpdateOptions(preconditions=preconditions))
