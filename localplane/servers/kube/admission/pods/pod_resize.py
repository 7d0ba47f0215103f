"""PodResizeValidator: a pod does not grow beyond its node. Kubernetes: plugin/pkg/admission/podresize."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.errors import Cause, Forbidden
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.quantity import ZERO
from localplane.apis import pod_resources
from localplane.apis.amounts import read
from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import (
    PODS,
    LookingPlugin,
    SelectivePlugin,
    metadata,
    refused,
    spec,
    written,
)


class PodResizeValidator(LookingPlugin, SelectivePlugin):
    name = "PodResizeValidator"
    operations = (Operation.UPDATE,)
    resources = (PODS,)

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource != "resize" or attributes.old_object is None:
            return
        pod = written(attributes)
        name = spec(pod).get("nodeName", "")
        if not name or metadata(pod).get("generation") == metadata(attributes.old_object).get("generation"):
            return
        node = await self.objects.get("nodes", "", name)
        if node is None:
            raise refused(attributes, f"node {go_quote(name)} not found")
        system = (node["metadata"].get("labels") or {}).get("kubernetes.io/os", "linux")
        if system != "linux":
            why = f"pod resize is only supported on linux nodes, node {go_quote(name)} is {go_quote(system)}"
            raise _refused_because(attributes, why, "UnsupportedPlatform")
        lacking = _lacking(pod, (node.get("status") or {}).get("allocatable") or {})
        if lacking:
            why = f"node didn't have enough allocatable resources: {'; '.join(lacking)}"
            raise _refused_because(attributes, why, "NodeCapacity")


def _refused_because(attributes: Attributes, why: str, reason: str) -> Forbidden:
    refusal = refused(attributes, why)
    refusal.causes = (Cause(reason, ""),)
    return refusal


def _lacking(pod: Mapping[str, Any], allocatable: Mapping[str, Any]) -> list[str]:
    """Processors are told in thousandths."""
    there, asked = read(allocatable), pod_resources.requests({"spec": pod.get("spec") or {}})
    found = []
    for name in ("cpu", "memory"):
        most, wanted = there.get(name, ZERO), asked.get(name, ZERO)
        if wanted > most:
            scaled = [each.milli_value() if name == "cpu" else each.value() for each in (wanted, most)]
            found.append(f"{name}, requested: {scaled[0]}, allocatable: {scaled[1]}")
    return found
