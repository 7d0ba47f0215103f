"""That a simulated node is alive: its Lease is renewed, and its Node's status is what a kubelet would write.

Nothing is written while nothing changes but the lease, four times while it lasts, and the status every few minutes.
Kubernetes: pkg/kubelet/kubelet_node_status.go and component-helpers/apimachinery/lease.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.clock import elapsed
from localplane.apimachinery.errors import Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import micro_now
from localplane.client import Client, GroupVersionResource, Lister

from . import registration
from .options import NodeOptions
from .registration import NODES

LEASES: Final = GroupVersionResource("coordination.k8s.io", "v1", "leases")
_LEASE_NAMESPACE: Final = "kube-node-lease"


@dataclass(slots=True)
class _Pulse:
    """When a node was last heard; `lease` is as it was written last."""

    lease: JSONObject | None = None
    renewed: float = float("-inf")
    reported: float = float("-inf")


class Heartbeat:
    """Of all simulated nodes. `images` tells which images a node has."""

    def __init__(self, client: Client, nodes: Lister, options: NodeOptions, images: Callable[[str], set[str]]) -> None:
        self._client = client
        self._nodes = nodes
        self._options = options
        self._images = images
        self._pulses: dict[str, _Pulse] = {}

    async def beat(self, name: str, *, with_status: bool = True) -> timedelta | None:
        """Write what is due; how long until the next time, or None for a node that is not to be heard. The status may
        be somebody else's."""
        node = self._nodes.get(name)
        if node is None or not registration.is_simulated(node) or registration.is_stopped(node):
            self._pulses.pop(name, None)
            return None
        pulse = self._pulses.setdefault(name, _Pulse())
        if with_status:
            await self._report(node, pulse)
        every = self._options.lease_duration.total_seconds() / 4
        if elapsed() - pulse.renewed >= every * 0.9:
            await self._renew(node, pulse)
        return timedelta(seconds=max(0.05, pulse.renewed + every - elapsed()))

    async def _report(self, node: JSONObject, pulse: _Pulse) -> None:
        name = node["metadata"]["name"]
        said = registration.status(node, self._options, images=self._images(name), taken=self._taken(node))
        is_due = elapsed() - pulse.reported >= self._options.status_report.total_seconds()
        if said == node.get("status") and not is_due:
            return
        written = {**node, "status": registration.with_heartbeat(said)}
        await self._client.resource(NODES).update(written, subresource="status")
        pulse.reported = elapsed()

    def _taken(self, node: JSONObject) -> set[str]:
        """The addresses of the others; nobody looks at them all if the node has one."""
        return set() if registration.host_ips(node) else self.addresses()

    def addresses(self) -> set[str]:
        """Of all nodes there are."""
        return {address for other in self._nodes.list() for address in registration.host_ips(other)}

    async def _renew(self, node: JSONObject, pulse: _Pulse) -> None:
        leases = self._client.resource(LEASES, _LEASE_NAMESPACE)
        if pulse.lease is not None:
            lease = {**pulse.lease, "spec": pulse.lease["spec"] | {"renewTime": micro_now()}}
            try:
                pulse.lease = await leases.update(lease)
            except (Conflict, NotFound):
                pulse.lease = None
        if pulse.lease is None:
            pulse.lease = await self._ensured(node)
        pulse.renewed = elapsed()

    async def _ensured(self, node: JSONObject) -> JSONObject:
        name, leases = node["metadata"]["name"], self._client.resource(LEASES, _LEASE_NAMESPACE)
        wanted = self._lease(node)
        try:
            lease = await leases.get(name)
        except NotFound:
            return await leases.create(wanted)
        return await leases.update({**lease, "spec": (lease.get("spec") or {}) | wanted["spec"]})

    def _lease(self, node: Mapping[str, Any]) -> JSONObject:
        name = node["metadata"]["name"]
        owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node["metadata"]["uid"]}
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": name, "namespace": _LEASE_NAMESPACE, "ownerReferences": [owner]},
            "spec": {
                "holderIdentity": name,
                "leaseDurationSeconds": int(self._options.lease_duration.total_seconds()),
                "renewTime": micro_now(),
            },
        }
