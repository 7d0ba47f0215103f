"""DefaultStorageClass: a claim that names no class gets the default one.

Kubernetes: plugin/pkg/admission/storage/storageclass/setdefault.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation

from .default_classes import default_class
from .plugin import CLAIMS, LookingPlugin, SelectivePlugin, annotations_of, spec, written

_MARKS: Final = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_BETA: Final = "volume.beta.kubernetes.io/storage-class"


class DefaultStorageClass(LookingPlugin, SelectivePlugin):
    name = "DefaultStorageClass"
    operations = (Operation.CREATE,)
    resources = (CLAIMS,)

    async def admit(self, attributes: Attributes) -> None:
        claim = written(attributes)
        if attributes.subresource or _BETA in annotations_of(claim) or "storageClassName" in spec(claim):
            return
        name = default_class(await self.objects.list("storage.k8s.io/storageclasses"), _MARKS)
        if name is not None:
            spec(claim)["storageClassName"] = name


def class_of(claim: JSONObject) -> str:
    """Kubernetes: GetPersistentVolumeClaimClass."""
    given = annotations_of(claim)
    return given[_BETA] if _BETA in given else str(spec(claim).get("storageClassName", ""))
