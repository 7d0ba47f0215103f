"""The generic store: one resource's verbs on storage, steered by a strategy.

It serves built-in kinds, custom resources and library users alike. A status subresource is a second store on the same
storage, with a StatusStrategy and only the verbs that it has.
"""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.request import Request
from localplane.apiserver.storage.interface import ObjectList, Watch

from . import create, delete, delete_collection, reads, update
from .definition import Definition
from .rest import (
    Deleted,
    DeleteOptions,
    ListOptions,
    Result,
    Updated,
    UpdatedObject,
    ValidateCreate,
    ValidateUpdate,
    WriteOptions,
)


class ReadOnlyStore:
    """get, list and watch."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result:
        return await reads.get(self.definition, request, name, resource_version=resource_version)

    async def list(self, request: Request, options: ListOptions) -> ObjectList:
        return await reads.list_objects(self.definition, request, options)

    async def watch(self, request: Request, options: ListOptions) -> Watch:
        return await reads.watch(self.definition, request, options)


class SubresourceStore:
    """get and update on the same object, for a subresource such as status."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result:
        return await reads.get(self.definition, request, name, resource_version=resource_version)

    async def update(
        self,
        request: Request,
        name: str,
        updated: UpdatedObject,
        *,
        validate_create: ValidateCreate | None,
        validate_update: ValidateUpdate | None,
        force_allow_create: bool,  # noqa: ARG002 - part of what an Updater is
        options: WriteOptions,
    ) -> Updated:
        """A subresource never creates its object, not even by apply."""
        return await update.update(
            self.definition,
            request,
            name,
            updated,
            validate_create=validate_create,
            validate_update=validate_update,
            allow_create=False,
            options=options,
        )


class ObjectStore(ReadOnlyStore):
    """Every verb but deletecollection: for kinds that go one by one."""

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        return await create.create(self.definition, request, obj, validate=validate, options=options)

    async def update(
        self,
        request: Request,
        name: str,
        updated: UpdatedObject,
        *,
        validate_create: ValidateCreate | None,
        validate_update: ValidateUpdate | None,
        force_allow_create: bool,
        options: WriteOptions,
    ) -> Updated:
        return await update.update(
            self.definition,
            request,
            name,
            updated,
            validate_create=validate_create,
            validate_update=validate_update,
            allow_create=force_allow_create or self.definition.strategy.allow_create_on_update,
            options=options,
        )

    async def delete(
        self, request: Request, name: str, *, validate: ValidateCreate | None, options: DeleteOptions
    ) -> Deleted:
        return await delete.delete(self.definition, request, name, validate=validate, options=options)


class Store(ObjectStore):
    """Every verb."""

    async def delete_collection(
        self, request: Request, *, validate: ValidateCreate | None, options: DeleteOptions, selection: ListOptions
    ) -> ObjectList:
        return await delete_collection.delete_collection(
            self.definition, request, validate=validate, options=options, selection=selection
        )
