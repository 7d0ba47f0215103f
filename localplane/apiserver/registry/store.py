"""The generic store: one resource's verbs on storage, steered by a strategy.

It serves built-in kinds, custom resources and library users alike. A status subresource is a second store on the same
storage, with a StatusStrategy and only the verbs that it has.
"""

from __future__ import annotations

from dataclasses import replace

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.request import Request
from localplane.apiserver.storage.interface import ObjectList, Watch

from . import create, delete, reads
from . import delete as delete_collection
from . import update as updates
from .definition import Definition
from .rest import (
    CollectionDeleter,
    Creater,
    Deleted,
    DeleteOptions,
    Getter,
    GracefulDeleter,
    Lister,
    ListOptions,
    Result,
    Update,
    Updated,
    Updater,
    ValidateCreate,
    Watcher,
    WriteOptions,
)


class ReadOnlyStore(Getter, Lister, Watcher):
    """get, list and watch."""

    def __init__(self, definition: Definition) -> None:
        self.definition: Definition = definition

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result:
        return await reads.get(self.definition, request, name, resource_version=resource_version)

    async def list(self, request: Request, options: ListOptions) -> ObjectList:
        return await reads.list_objects(self.definition, request, options)

    async def watch(self, request: Request, options: ListOptions) -> Watch:
        return await reads.watch(self.definition, request, options)


class SubresourceStore(Getter, Updater):
    """get and update on the same object, for a subresource such as status."""

    def __init__(self, definition: Definition) -> None:
        self.definition: Definition = definition

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result:
        return await reads.get(self.definition, request, name, resource_version=resource_version)

    async def update(self, request: Request, update: Update) -> Updated:
        """A subresource never creates its object, not even by apply."""
        return await updates.update(
            self.definition, request, replace(update, allow_create=False) if update.allow_create else update
        )


class ObjectStore(ReadOnlyStore, Creater, Updater, GracefulDeleter):
    """Every verb but deletecollection: for kinds that go one by one."""

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        return await create.create(self.definition, request, obj, validate=validate, options=options)

    async def update(self, request: Request, update: Update) -> Updated:
        if self.definition.strategy.allow_create_on_update and not update.allow_create:
            update = replace(update, allow_create=True)
        return await updates.update(self.definition, request, update)

    async def delete(
        self, request: Request, name: str, *, validate: ValidateCreate | None, options: DeleteOptions
    ) -> Deleted:
        return await delete.delete(self.definition, request, name, validate=validate, options=options)


class Store(ObjectStore, CollectionDeleter):
    """Every verb."""

    async def delete_collection(
        self, request: Request, *, validate: ValidateCreate | None, options: DeleteOptions, selection: ListOptions
    ) -> ObjectList:
        return await delete_collection.delete_collection(
            self.definition, request, validate=validate, options=options, selection=selection
        )
