"""PersistentVolumeClaimResize: a claim grows only once it is bound, and only if its class says so.

Kubernetes: plugin/pkg/admission/storage/persistentvolume/resize.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import Quantity, parse
from localplane.apiserver.admission import Attributes, Operation

from .default_classes import class_of
from .plugin import CLAIMS, LookingPlugin, SelectivePlugin, refused, spec, written

_UNBOUND: Final = "Only bound persistent volume claims can be expanded"
_NOT_RESIZABLE: Final = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
)


class PersistentVolumeClaimResize(LookingPlugin, SelectivePlugin):
    name = "PersistentVolumeClaimResize"
    operations = (Operation.UPDATE,)
    resources = (CLAIMS,)

    async def validate(self, attributes: Attributes) -> None:
        claim, old = written(attributes), attributes.old_object
        if attributes.subresource or old is None or _size(claim) <= _size(old):
            return
        if (old.get("status") or {}).get("phase") != "Bound":
            raise refused(attributes, _UNBOUND)
        if not await self._is_resizable(class_of(claim), class_of(old)):
            raise refused(attributes, _NOT_RESIZABLE)

    async def _is_resizable(self, name: str, old_name: str) -> bool:
        if not name or name != old_name:
            return False
        storage_class = await self.objects.get("storage.k8s.io/storageclasses", "", name)
        return storage_class is not None and bool(storage_class.get("allowVolumeExpansion"))


def _size(claim: JSONObject) -> Quantity:
    requests = (spec(claim).get("resources") or {}).get("requests") or {}
    return parse(str(requests.get("storage", "0")))
