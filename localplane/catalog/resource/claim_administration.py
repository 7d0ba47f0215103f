"""A claim for administration gets devices that others have, so it may only be made where the namespace allows it.

Kubernetes: pkg/registry/resource/utils.go, AuthorizedForAdmin. The spec never changes, so only creation is asked.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.fieldpath import Path, forbidden
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.registry.rest import Result, ValidateCreate, WriteOptions
from localplane.apiserver.registry.store import Store
from localplane.apiserver.request import Request

_LABEL: Final = "resource.kubernetes.io/admin-access"
_WHY: Final = f"admin access to devices requires the `{_LABEL}: true` label on the containing namespace"
_REQUESTS: Final = Path("spec") / "devices" / "requests"


class AdministrationStore(Store):
    """Of claims, and of templates, whose claims are made where they are."""

    def __init__(self, definition: Definition, objects: Lookup) -> None:
        super().__init__(definition)
        self._objects = objects

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        async def permitted(made: JSONObject) -> None:
            await self._check(request, made)
            if validate is not None:
                await validate(made)

        return await super().create(request, obj, validate=permitted, options=options)

    async def _check(self, request: Request, obj: JSONObject) -> None:
        """Raises Invalid."""
        outer: JSONObject = obj.get("spec") or {}
        # A template's is one deeper; the path that is told is that of a claim all the same.
        spec: JSONObject = outer.get("spec") or outer
        for index, each in enumerate((spec.get("devices") or {}).get("requests") or ()):
            if (each.get("exactly") or {}).get("adminAccess"):
                namespace: JSONObject = await self._objects.get("namespaces", "", request.namespace) or {}
                labels: JSONObject = (namespace.get("metadata") or {}).get("labels") or {}
                if labels.get(_LABEL) != "true":
                    error = forbidden(_REQUESTS[index] / "adminAccess", _WHY)
                    raise self.definition.invalid(obj["metadata"].get("name", ""), [error])
                return
