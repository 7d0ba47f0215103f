"""A pod as the scheduler sees it: what its specification means, worked out once and only if somebody asks.

Kubernetes: pkg/scheduler/framework/types.go, PodInfo.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import orjson

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.host_ports import HostPort, host_ports
from localplane.controllers.node_selection import PREFER_NO_SCHEDULE, PreferredNodeAffinity, RequiredNodeAffinity
from localplane.controllers.pods import condition, is_terminating

from .affinity_terms import PodAffinity, pod_affinity
from .amounts import ResourceRequest, request_of

_PLACE: Final = ("nodeName", "nodeSelector", "affinity", "tolerations", "overhead", "resources")


class PodInfo:
    """`pod` is the informer's object and not to be changed. `node_name` is where it is, or where we have decided that
    it will be."""

    def __init__(self, pod: JSONObject) -> None:
        self.pod = pod
        metadata, self.spec = pod["metadata"], pod["spec"]
        self.uid: str = metadata["uid"]
        self.name: str = metadata["name"]
        self.namespace: str = metadata["namespace"]
        self.labels: Mapping[str, str] = metadata.get("labels") or {}
        self.priority: int = self.spec.get("priority") or 0
        self.node_name: str = self.spec.get("nodeName") or ""
        self.request: ResourceRequest = request_of(pod)

    def __repr__(self) -> str:
        return f"PodInfo({self.key})"

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def is_terminating(self) -> bool:
        return is_terminating(self.pod)

    @property
    def nominated_node(self) -> str:
        return (self.pod.get("status") or {}).get("nominatedNodeName") or ""

    @cached_property
    def affinity(self) -> PodAffinity:
        return pod_affinity(self.spec, self.namespace)

    @cached_property
    def ports(self) -> tuple[HostPort, ...]:
        return host_ports(self.spec)

    @cached_property
    def node_affinity(self) -> RequiredNodeAffinity | None:
        """None if it is content with any node."""
        node_affinity = (self.spec.get("affinity") or {}).get("nodeAffinity") or {}
        demanding = self.spec.get("nodeSelector") or "requiredDuringSchedulingIgnoredDuringExecution" in node_affinity
        return RequiredNodeAffinity(self.spec) if demanding else None

    @cached_property
    def preferred_nodes(self) -> PreferredNodeAffinity:
        return PreferredNodeAffinity.of(self.spec)

    @cached_property
    def tolerations(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(self.spec.get("tolerations") or ())

    @cached_property
    def preference_tolerations(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(each for each in self.tolerations if each.get("effect", "") in ("", PREFER_NO_SCHEDULE))

    @cached_property
    def images(self) -> tuple[str, ...]:
        """Of all containers and image volumes, with a tag."""
        containers = (*(self.spec.get("initContainers") or ()), *self.spec["containers"])
        names = [each.get("image") or "" for each in containers]
        names += [each["image"].get("reference") or "" for each in self.spec.get("volumes") or () if each.get("image")]
        return tuple(f"{name}:latest" if name.rfind(":") <= name.rfind("/") else name for name in names)

    @cached_property
    def claims(self) -> tuple[str, ...]:
        """Names of the PersistentVolumeClaims that it names itself."""
        volumes = self.spec.get("volumes") or ()
        return tuple(each["persistentVolumeClaim"]["claimName"] for each in volumes if "persistentVolumeClaim" in each)

    @cached_property
    def has_claims(self) -> bool:
        """Whether any of its volumes is a PersistentVolumeClaim, its own or one that is made for it."""
        return any("persistentVolumeClaim" in each or "ephemeral" in each for each in self.spec.get("volumes") or ())

    @cached_property
    def signature(self) -> bytes:
        """The same for pods that any one node treats alike, whatever else is in the cluster."""
        parts = {name: self.spec[name] for name in _PLACE if name in self.spec}
        parts["asked"] = self.request.asked
        parts["compared"] = self.request.compared
        parts["ports"] = [(port.address, port.protocol, port.port) for port in self.ports]
        parts["images"] = self.images
        return orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)

    @property
    def is_being_preempted(self) -> bool:
        """It is on its way out because the scheduler wants its place."""
        target = condition(self.pod, "DisruptionTarget")
        if not self.is_terminating or target is None:
            return False
        return target.get("status") == "True" and target.get("reason") == "PreemptionByScheduler"

    def counts_like(self, other: PodInfo) -> bool:
        """Whether all that is summed up about both is the same, so that one may simply stand for the other."""
        return (
            self.node_name == other.node_name
            and self.labels == other.labels
            and self.priority == other.priority
            and self.is_terminating == other.is_terminating
            and self.request == other.request
            and self.spec.get("affinity") == other.spec.get("affinity")
        )
