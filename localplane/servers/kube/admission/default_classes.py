"""Which of several classes is the default: of those that say so, the newest, and of equally new ones the first by name.

Kubernetes: pkg/volume/util, GetDefaultClass; plugin/pkg/admission/network/defaultingressclass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import parse_time
from localplane.apiserver.admission import Attributes, Operation

from .plugin import CLAIMS, LookingPlugin, SelectivePlugin, annotations_of, spec, written


def default_class(classes: Iterable[JSONObject], marks: Sequence[str]) -> str | None:
    """Its name; `marks` are the annotations that say it."""
    marked = [each["metadata"] for each in classes if any(annotations_of(each).get(mark) == "true" for mark in marks)]
    if not marked:
        return None
    marked.sort(key=lambda metadata: str(metadata["name"]))
    newest: JSONObject = max(marked, key=_created)
    return str(newest["name"])


def _created(metadata: JSONObject) -> datetime:
    return parse_time(metadata["creationTimestamp"])


# DefaultIngressClass: an ingress that names no class gets the default one.
#
# Kubernetes: plugin/pkg/admission/network/defaultingressclass.

_MARKS: Final = ("ingressclass.kubernetes.io/is-default-class",)
_ANNOTATION: Final = "kubernetes.io/ingress.class"


class DefaultIngressClass(LookingPlugin, SelectivePlugin):
    name = "DefaultIngressClass"
    operations = (Operation.CREATE,)
    resources = (GroupResource("networking.k8s.io", "ingresses"),)

    async def admit(self, attributes: Attributes) -> None:
        ingress = written(attributes)
        if attributes.subresource or "ingressClassName" in spec(ingress) or _ANNOTATION in annotations_of(ingress):
            return
        name = default_class(await self.objects.list("networking.k8s.io/ingressclasses"), _MARKS)
        if name is not None:
            spec(ingress)["ingressClassName"] = name


# DefaultStorageClass: a claim that names no class gets the default one.
#
# Kubernetes: plugin/pkg/admission/storage/storageclass/setdefault.

_STORAGE_MARKS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_BETA: Final = "volume.beta.kubernetes.io/storage-class"


class DefaultStorageClass(LookingPlugin, SelectivePlugin):
    name = "DefaultStorageClass"
    operations = (Operation.CREATE,)
    resources = (CLAIMS,)

    async def admit(self, attributes: Attributes) -> None:
        claim = written(attributes)
        if attributes.subresource or _BETA in annotations_of(claim) or "storageClassName" in spec(claim):
            return
        name = default_class(await self.objects.list("storage.k8s.io/storageclasses"), _STORAGE_MARKS)
        if name is not None:
            spec(claim)["storageClassName"] = name


def class_of(claim: JSONObject) -> str:
    """Kubernetes: GetPersistentVolumeClaimClass."""
    given = annotations_of(claim)
    return given[_BETA] if _BETA in given else str(spec(claim).get("storageClassName", ""))
