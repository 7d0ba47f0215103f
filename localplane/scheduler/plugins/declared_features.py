"""What a pod needs of a kubelet, and nodes that don't say that theirs can do it.

Kubernetes: pkg/scheduler/framework/plugins/nodedeclaredfeatures and component-helpers/nodedeclaredfeatures/features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from localplane.scheduler.diagnosis import Rejection
from localplane.scheduler.state.node_info import NodeInfo
from localplane.scheduler.state.pod_info import PodInfo

from . import names
from .check import UnmovedCheck

_UNMET: Final = Rejection(names.NODE_DECLARED_FEATURES, ("node(s) didn't match Pod's required features",), final=True)
_RESTART_ALL: Final = "RestartAllContainersOnContainerExits"
_USER_NAMESPACES: Final = "UserNamespacesHostNetworkSupport"
_BIND_MOUNTS: Final = "VolumeBindMountOptions"


def prepare(pod: PodInfo) -> FeatureCheck | None:
    needed = frozenset(_needed(pod.spec))
    return FeatureCheck(needed) if needed else None


def _needed(spec: Mapping[str, Any]) -> Iterator[str]:
    if spec.get("hostNetwork") and spec.get("hostUsers") is False:
        yield _USER_NAMESPACES
    for container in (*spec["containers"], *(spec.get("initContainers") or ())):
        if any(rule.get("action") == "RestartAllContainers" for rule in container.get("restartPolicyRules") or ()):
            yield _RESTART_ALL
        if any(mount.get("bindMountOptions") for mount in container.get("volumeMounts") or ()):
            yield _BIND_MOUNTS


class FeatureCheck(UnmovedCheck):
    def __init__(self, needed: frozenset[str]) -> None:
        self._needed = needed

    def rejection(self, node: NodeInfo) -> Rejection | None:
        declared = ((node.node or {}).get("status") or {}).get("declaredFeatures") or ()
        return None if self._needed.issubset(declared) else _UNMET
