"""TaintNodesByCondition: a new node is not ready until somebody says so. Kubernetes: plugin/pkg/admission/nodetaint."""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import SelectivePlugin, spec, written

_NOT_READY: Final = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


class TaintNodesByCondition(SelectivePlugin):
    name = "TaintNodesByCondition"
    operations = (Operation.CREATE,)
    resources = (GroupResource("", "nodes"),)

    async def admit(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        taints = spec(written(attributes)).setdefault("taints", [])
        if not any(_NOT_READY.items() <= taint.items() for taint in taints):
            taints.append(dict(_NOT_READY))
