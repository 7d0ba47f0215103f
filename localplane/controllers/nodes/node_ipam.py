"""Every node gets a range of addresses for its pods, out of the cluster's, and gives it back when it goes.

Kubernetes: pkg/controller/nodeipam/ipam, range_allocator.go and cidrset.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from localplane.apimachinery.errors import APIError, Conflict, NotFound, Timeout
from localplane.apimachinery.objects import JSONObject
from localplane.client import (
    Client,
    ClientError,
    GroupVersionResource,
    HandlerFunctions,
    Lister,
    PatchType,
    WorkQueue,
    deleted_object,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder, EventSubject
from localplane.controllers.worker import NotYet, work

Network = IPv4Network | IPv6Network

_NODES: Final = GroupVersionResource("", "v1", "nodes")
_ACCOUNT: Final = "node-controller"
_COMPONENT: Final = "cidrAllocator"
_WORKERS: Final = 30
_TRIES: Final = 3
# cidr_set.go, clusterSubnetMaxDiff: what is remembered of a set must not grow beyond all bounds.
_MOST_BITS_IPV6: Final = 16

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NodeIPAMOptions:
    """--cluster-cidr, --node-cidr-mask-size-ipv4 and -ipv6, and --service-cluster-ip-range. Two cluster ranges are one
    of each family; nodes get a part of both. Raises ValueError."""

    cluster_cidrs: tuple[str, ...] = ("10.244.0.0/16",)
    service_cidrs: tuple[str, ...] = ()
    mask_size_ipv4: int = 24
    mask_size_ipv6: int = 64

    def __post_init__(self) -> None:
        for cidr in self.cluster_cidrs:
            CIDRSet(ip_network(cidr, strict=False), self._mask_size(cidr))

    def cidr_sets(self) -> list[CIDRSet]:
        """One for each range of the cluster, without what services have."""
        sets = [CIDRSet(ip_network(cidr, strict=False), self._mask_size(cidr)) for cidr in self.cluster_cidrs]
        for cidr in self.service_cidrs:
            services = ip_network(cidr, strict=False)
            for cidr_set in sets:
                if cidr_set.touches(services):
                    cidr_set.occupy(services)
        return sets

    def _mask_size(self, cidr: str) -> int:
        return self.mask_size_ipv6 if ":" in cidr else self.mask_size_ipv4


async def start(context: ControllerContext, options: NodeIPAMOptions | None = None) -> None:
    nodes = context.informers.informer(_NODES)
    await nodes.wait_for_sync()
    queue = WorkQueue[str]()
    allocator = RangeAllocator(
        (options or NodeIPAMOptions()).cidr_sets(),
        context.client_of(_ACCOUNT),
        context.recorder(_ACCOUNT, _COMPONENT),
        nodes.lister,
    )
    # What nodes have already is taken before the first of those that have nothing gets something.
    for node in nodes.lister.list():
        allocator.occupy(node)

    def hear(node: JSONObject) -> None:
        queue.add(node["metadata"]["name"])

    def hear_change(old: JSONObject, new: JSONObject) -> None:
        if old["metadata"]["uid"] != new["metadata"]["uid"]:
            allocator.release(old)
        hear(new)

    listener = nodes.add_handler(
        HandlerFunctions(add=hear, update=hear_change, delete=lambda node: allocator.release(deleted_object(node)))
    )
    try:
        await work(queue, allocator.sync, workers=_WORKERS)
    finally:
        listener.remove()


class NoneLeft(Exception):
    """The range has been given out."""

    def __init__(self) -> None:
        super().__init__("CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range")


class OutOfRange(ValueError):
    """What a node has is no part of the cluster's range."""


class CIDRSet:
    """The parts of one range, given out in turn: what came back waits until all others were used. Raises ValueError if
    a part would be larger than the whole, or the parts too many."""

    def __init__(self, cluster: Network, mask_size: int) -> None:
        if mask_size < cluster.prefixlen or mask_size > cluster.max_prefixlen:
            raise ValueError(
                "invalid clusterCIDR, mask size of clusterCIDR must be less than or equal to --node-cidr-mask-size "
                "configured for CIDR family"
            )
        if cluster.version == 6 and mask_size - cluster.prefixlen > _MOST_BITS_IPV6:
            raise ValueError("New CIDR set failed; the node CIDR size is too big")
        self._cluster = cluster
        self._mask_size = mask_size
        self._size = 1 << (mask_size - cluster.prefixlen)
        self._shift = cluster.max_prefixlen - mask_size
        self._next = 0
        self._used: set[int] = set()

    def allocate(self) -> Network:
        """Raises NoneLeft."""
        if len(self._used) >= self._size:
            raise NoneLeft
        index = self._next
        while index in self._used:
            index = (index + 1) % self._size
        self._next = (index + 1) % self._size
        self._used.add(index)
        address = int(self._cluster.network_address) + (index << self._shift)
        family = IPv4Network if self._cluster.version == 4 else IPv6Network
        return family((address, self._mask_size))

    def touches(self, network: Network) -> bool:
        return network.version == self._cluster.version and network.overlaps(self._cluster)

    def occupy(self, network: Network) -> None:
        """May be said again. Raises OutOfRange."""
        self._used.update(self._parts(network))

    def release(self, network: Network) -> None:
        """Raises OutOfRange."""
        self._used.difference_update(self._parts(network))

    def _parts(self, network: Network) -> range:
        if not self.touches(network):
            raise OutOfRange(f"cidr {network} is out the range of cluster cidr {self._cluster}")
        if network.prefixlen <= self._cluster.prefixlen:
            return range(self._size)
        origin = int(self._cluster.network_address)
        first, last = int(network.network_address) - origin, int(network.broadcast_address) - origin
        return range(first >> self._shift, (last >> self._shift) + 1)


class RangeAllocator:
    def __init__(self, sets: Sequence[CIDRSet], client: Client, events: EventRecorder, nodes: Lister) -> None:
        self._sets = sets
        self._client = client
        self._events = events
        self._nodes = nodes
        # By uid, what nodes were given: the informer may not know it yet.
        self._assigned: dict[str, list[Network]] = {}

    async def sync(self, name: str) -> None:
        node = self._nodes.get(name)
        if node is None or "deletionTimestamp" in node["metadata"]:
            return
        if node["spec"].get("podCIDRs"):
            self.occupy(node)
        elif node["metadata"]["uid"] not in self._assigned:
            await self._assign(node, self._allocate(node))

    def occupy(self, node: JSONObject) -> None:
        """What a node has that is none of ours is no reason to leave the others without."""
        self._apply(node, CIDRSet.occupy)

    def release(self, node: JSONObject) -> None:
        """Of a node that is gone."""
        self._give_back(self._assigned.pop(node["metadata"]["uid"], []))
        self._apply(node, CIDRSet.release)

    def _apply(self, node: JSONObject, change: Callable[[CIDRSet, Network], None]) -> None:
        name = node["metadata"]["name"]
        for index, cidr in enumerate((node.get("spec") or {}).get("podCIDRs") or ()):
            if index >= len(self._sets):
                _log.warning(
                    "node:%s has an allocated cidr: %s at index:%d that does not exist in cluster cidrs configuration",
                    name,
                    cidr,
                    index,
                )
                return
            try:
                change(self._sets[index], ip_network(cidr, strict=False))
            except ValueError as error:
                _log.warning("node %s: %s", name, error)

    def _allocate(self, node: JSONObject) -> list[Network]:
        allocated: list[Network] = []
        for index, cidr_set in enumerate(self._sets):
            try:
                allocated.append(cidr_set.allocate())
            except NoneLeft as error:
                self._give_back(allocated)
                self._tell(node, "CIDRNotAvailable")
                raise NotYet(f"failed to allocate cidr from cluster cidr at idx:{index}: {error}") from error
        return allocated

    async def _assign(self, node: JSONObject, allocated: list[Network]) -> None:
        uid = node["metadata"]["uid"]
        self._assigned[uid] = allocated
        try:
            await self._write(node, [str(network) for network in allocated])
        except (NotFound, Conflict):  # it is gone, or was made anew
            self._forget(uid)
        except (APIError, ClientError) as error:
            self._tell(node, "CIDRAssignmentFailed")
            if not isinstance(error, Timeout | ClientError):  # it may have been written all the same
                self._forget(uid)
            else:
                self._assigned.pop(uid, None)
            raise

    async def _write(self, node: JSONObject, cidrs: list[str]) -> None:
        nodes, name = self._client.resource(_NODES), node["metadata"]["name"]
        # The uid keeps a node that was made anew meanwhile from getting what its predecessor was to have.
        patch = {"metadata": {"uid": node["metadata"]["uid"]}, "spec": {"podCIDR": cidrs[0], "podCIDRs": cidrs}}
        for tries_left in reversed(range(_TRIES)):
            try:
                await nodes.patch(name, patch, PatchType.STRATEGIC)
            except (NotFound, Conflict):
                raise
            except (APIError, ClientError):
                if not tries_left:
                    raise
            else:
                return

    def _forget(self, uid: str) -> None:
        self._give_back(self._assigned.pop(uid, []))

    def _give_back(self, allocated: Sequence[Network]) -> None:
        for cidr_set, network in zip(self._sets, allocated, strict=False):
            cidr_set.release(network)

    def _tell(self, node: JSONObject, status: str) -> None:
        name, uid = node["metadata"]["name"], node["metadata"]["uid"]
        self._events.normal(EventSubject("v1", "Node", "", name, uid), status, f"Node {name} status is now: {status}")
