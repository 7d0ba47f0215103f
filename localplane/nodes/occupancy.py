"""What the pods of every node hold of it: room, and ports. A pod holds something from the moment that it is admitted
until it is over. Nothing is stored: what pods say in their statuses is noted before anybody is admitted.

Kubernetes: kube-scheduler/framework, NodeInfo, as the kubelet fills one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from localplane.apis.amounts import Amounts, add
from localplane.controllers.host_ports import HostPort, TakenPorts, host_ports
from localplane.controllers.pods import is_terminal

from .pods.admission import Others
from .pods.resize import granted


@dataclass(frozen=True, slots=True)
class _Holding:
    """`said` is what the pod's status said when `amounts` were read."""

    said: Any
    amounts: Amounts
    ports: tuple[HostPort, ...]


@dataclass(slots=True)
class _Tenancy:
    """All that is held of one node."""

    holdings: dict[str, _Holding] = field(default_factory=dict)
    total: Amounts = field(default_factory=dict)
    ports: TakenPorts = field(default_factory=TakenPorts)

    def add(self, uid: str, holding: _Holding) -> None:
        self.holdings[uid] = holding
        add(self.total, holding.amounts)
        self.ports.add(holding.ports)

    def remove(self, uid: str) -> None:
        holding = self.holdings.pop(uid, None)
        if holding is None:
            return
        add(self.total, {name: -amount for name, amount in holding.amounts.items()})
        self.ports.remove(holding.ports)


class Occupancy:
    def __init__(self) -> None:
        self._nodes: dict[str, _Tenancy] = {}

    def note(self, pod: Mapping[str, Any]) -> None:
        """As the pod is now."""
        status, uid = pod.get("status") or {}, pod["metadata"]["uid"]
        node = pod["spec"].get("nodeName")
        if not node or "startTime" not in status:
            return
        if is_terminal(pod):
            self.release(pod)
            return
        tenancy = self._nodes.setdefault(node, _Tenancy())
        held, said = tenancy.holdings.get(uid), status.get("allocatedResources")
        if held is None or held.said != said:
            tenancy.remove(uid)
            tenancy.add(uid, _Holding(said, granted(pod), host_ports(pod["spec"])))

    def release(self, pod: Mapping[str, Any]) -> None:
        node = pod["spec"].get("nodeName", "")
        tenancy = self._nodes.get(node)
        if tenancy is not None:
            tenancy.remove(pod["metadata"]["uid"])
            if not tenancy.holdings:
                del self._nodes[node]

    def others(self, node: str, uid: str) -> Others:
        """What all the pods of a node but this one hold of it."""
        tenancy = self._nodes.get(node, _Tenancy())
        amounts, own = dict(tenancy.total), tenancy.holdings.get(uid)
        if own is not None:
            add(amounts, {name: -amount for name, amount in own.amounts.items()})
        return Others(len(tenancy.holdings) - (own is not None), amounts, tenancy.ports)
