"""What the scheduler writes into the status of pods: why they wait, and which node they wait for.

Kubernetes: pkg/scheduler/schedule_one.go, updatePod; pkg/api/v1/pod/util.go, UpdatePodCondition.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.times import now
from localplane.client import Client, PatchType
from localplane.controllers.pods import condition

from .sources import PODS
from .state.pod_info import PodInfo

UNSCHEDULABLE: Final = "Unschedulable"
ERROR: Final = "SchedulerError"
_TYPE: Final = "PodScheduled"


class PodStatuses:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def tell(self, pod: PodInfo, reason: str, message: str, *, nomination: str | None) -> None:
        """That a pod has no place; `nomination` is the node that it waits for, none (empty), or as it is (None).
        Nothing is written if it says so already. Raises APIError."""
        old = condition(pod.pod, _TYPE) or {}
        new: dict[str, Any] = {"type": _TYPE, "status": "False", "reason": reason, "message": message}
        if generation := pod.pod["metadata"].get("generation"):
            new["observedGeneration"] = generation
        status: dict[str, Any] = {}
        if any(old.get(name) != value for name, value in new.items()):
            if old.get("status") != "False":
                new["lastTransitionTime"] = now()
            status |= with_condition(pod, new)
        if nomination is not None and nomination != pod.nominated_node:
            status["nominatedNodeName"] = nomination or None
        await self._patch(pod, status)

    async def nominate(self, pod: PodInfo, node_name: str) -> None:
        """Raises APIError."""
        if node_name != pod.nominated_node:
            await self._patch(pod, {"nominatedNodeName": node_name or None})

    async def _patch(self, pod: PodInfo, status: dict[str, Any]) -> None:
        if status:
            patch = {"metadata": {"uid": pod.uid}, "status": status}
            pods = self._client.resource(PODS, pod.namespace)
            await pods.patch(pod.name, patch, PatchType.STRATEGIC, subresource="status")


def with_condition(pod: PodInfo, new: Mapping[str, Any]) -> dict[str, Any]:
    """A strategic merge patch of a status that has this condition too: the last one, if there was none of its type."""
    types = [each["type"] for each in (pod.pod.get("status") or {}).get("conditions") or ()]
    order = types if new["type"] in types else [*types, new["type"]]
    return {"conditions": [new], "$setElementOrder/conditions": [{"type": each} for each in order]}
