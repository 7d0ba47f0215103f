"""LimitPodHardAntiAffinityTopology: pods may insist on being apart by host only. Off unless asked for.

Kubernetes: plugin/pkg/admission/antiaffinity.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.errors import Forbidden
from localplane.apiserver.admission import Attributes
from localplane.servers.kube.admission.plugin import PODS, WRITES, SelectivePlugin, metadata, spec, written

_HOST: Final = "kubernetes.io/hostname"


class LimitPodHardAntiAffinityTopology(SelectivePlugin):
    name = "LimitPodHardAntiAffinityTopology"
    operations = WRITES
    resources = (PODS,)

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        pod = written(attributes)
        rules = (spec(pod).get("affinity") or {}).get("podAntiAffinity") or {}
        for term in rules.get("requiredDuringSchedulingIgnoredDuringExecution") or ():
            if term.get("topologyKey") != _HOST:
                why = (
                    f"affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey {term.get('topologyKey', '')} "
                    f"but only key {_HOST} is allowed"
                )
                raise Forbidden.of(PODS, metadata(pod).get("name", ""), why)
