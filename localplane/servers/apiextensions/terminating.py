"""The storage of a custom resource whose definition is being deleted: what is there can be seen, nothing is added."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.rest import (
    Result,
    Update,
    Updated,
    ValidateCreate,
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

    async def update(self, request: Request, update: Update) -> Updated:
        async def only_what_is_there(old: JSONObject) -> JSONObject:
            if not old:
                raise Forbidden.of(self.definition.resource, update.name, _WHY)
            return await update.changed(old)

        return await super().update(request, replace(update, changed=only_what_is_there))
