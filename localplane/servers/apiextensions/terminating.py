"""The storage of a custom resource whose definition is being deleted: what is there can be seen, nothing is added."""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.rest import (
    Result,
    Updated,
    UpdatedObject,
    ValidateCreate,
    ValidateUpdate,
    WriteOptions,
)
from localplane.apiserver.request import Request

from .watches import CustomStore

_WHY: Final = "create not allowed while custom resource definition is terminating"


class TerminatingStore(CustomStore):
    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        raise Forbidden.of(self.definition.resource, obj["metadata"].get("name", ""), _WHY)

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
        async def only_what_is_there(old: JSONObject) -> JSONObject:
            if not old:
                raise Forbidden.of(self.definition.resource, name, _WHY)
            return await updated(old)

        return await super().update(
            request,
            name,
            only_what_is_there,
            validate_create=validate_create,
            validate_update=validate_update,
            force_allow_create=force_allow_create,
            options=options,
        )
