"""Deleting jobs: whoever does not say what becomes of the pods is told what does.

Kubernetes: pkg/registry/batch/job/storage.
"""

from __future__ import annotations

from localplane.apiserver.registry.rest import Deleted, DeleteOptions, ListOptions, ValidateCreate
from localplane.apiserver.registry.store import Store
from localplane.apiserver.request import Request
from localplane.apiserver.storage.interface import ObjectList

_PODS_STAY = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)


class JobStore(Store):
    async def delete(
        self, request: Request, name: str, *, validate: ValidateCreate | None, options: DeleteOptions
    ) -> Deleted:
        _warn(request, options)
        return await super().delete(request, name, validate=validate, options=options)

    async def delete_collection(
        self, request: Request, *, validate: ValidateCreate | None, options: DeleteOptions, selection: ListOptions
    ) -> ObjectList:
        _warn(request, options)
        return await super().delete_collection(request, validate=validate, options=options, selection=selection)


def _warn(request: Request, options: DeleteOptions) -> None:
    if options.propagation_policy is None and options.orphan_dependents is None:
        request.warnings.append(_PODS_STAY)
