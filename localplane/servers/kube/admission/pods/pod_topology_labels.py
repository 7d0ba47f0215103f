"""PodTopologyLabels: a pod knows the zone and the region of its node.

Kubernetes: plugin/pkg/admission/podtopologylabels.
"""

from __future__ import annotations

from typing import Final

from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import PODS, LookingPlugin, SelectivePlugin, metadata, spec, written

_COPIED: Final = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


class PodTopologyLabels(LookingPlugin, SelectivePlugin):
    """By a binding, which hands its labels on to the pod, or by a pod that is created on a node."""

    name = "PodTopologyLabels"
    operations = (Operation.CREATE,)
    resources = (PODS,)

    async def admit(self, attributes: Attributes) -> None:
        obj = written(attributes)
        if attributes.subresource == "binding":
            target = obj.get("target") or {}
            node = target.get("name", "") if target.get("kind") == "Node" else ""
        else:
            node = "" if attributes.subresource else spec(obj).get("nodeName", "")
        found = await self.objects.get("nodes", "", node) if node else None
        given = ((found or {}).get("metadata") or {}).get("labels") or {}
        labels = {name: given[name] for name in _COPIED if name in given}
        if labels:
            metadata(obj)["labels"] = (metadata(obj).get("labels") or {}) | labels
