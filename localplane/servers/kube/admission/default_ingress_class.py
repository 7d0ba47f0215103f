"""DefaultIngressClass: an ingress that names no class gets the default one.

Kubernetes: plugin/pkg/admission/network/defaultingressclass.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation

from .default_classes import default_class
from .plugin import LookingPlugin, SelectivePlugin, annotations_of, spec, written

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
