"""StorageObjectInUseProtection: volumes, claims and their classes stay until nobody uses them.

The finalizers that it sets are removed by controllers. Kubernetes:
plugin/pkg/admission/storage/storageobjectinuseprotection.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation

from .plugin import CLAIMS, SelectivePlugin, metadata, written

_FINALIZERS: Final = {
    GroupResource("", "persistentvolumes"): "kubernetes.io/pv-protection",
    CLAIMS: "kubernetes.io/pvc-protection",
    GroupResource("storage.k8s.io", "volumeattributesclasses"): "kubernetes.io/vac-protection",
}


class StorageObjectInUseProtection(SelectivePlugin):
    name = "StorageObjectInUseProtection"
    operations = (Operation.CREATE,)
    resources = _FINALIZERS

    async def admit(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        finalizer = _FINALIZERS[attributes.resource]
        given = metadata(written(attributes)).setdefault("finalizers", [])
        if finalizer not in given:
            given.append(finalizer)
