"""The Node objects of simulated nodes: as they are made, as they are taken over, and what a kubelet writes into them.

Kubernetes: pkg/kubelet/kubelet_node_status.go and pkg/kubelet/nodestatus/setters.go.
"""

from __future__ import annotations

import platform
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from copy import deepcopy
from hashlib import sha256
from ipaddress import ip_network
from typing import Any, Final

from localplane.apimachinery.errors import AlreadyExists, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.catalog.core.pods.validation.resources import is_extended, is_huge_page
from localplane.client import Client, GroupVersionResource

from .options import FAKE, KWOK_NODE, NODE_LABEL, STOPPED, NodeOptions

NODES: Final = GroupVersionResource("", "v1", "nodes")
_USER: Final = "system:simulated-kubelet"
_GROUPS: Final = ("system:masters", "system:authenticated")
_NOT_READY: Final = "node.kubernetes.io/not-ready"
VERSION: Final = "v1.37.0"
_ARCHITECTURES: Final = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_NETWORK: Final = ip_network("172.30.0.0/16")
"""The addresses of nodes that have none of their own. Nobody listens there."""
_KUBELET_PORT: Final = 10250
_MOST_IMAGES: Final = 50
_NAMES: Final = uuid.UUID("6b1c9d0e-4d0f-4a53-8a57-0f1b8f2f5c11")
_CONDITIONS: Final = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


def is_simulated(node: Mapping[str, Any]) -> bool:
    """Nodes that say so are ours; all others are never touched."""
    metadata = node["metadata"]
    fake = (metadata.get("annotations") or {}).get(KWOK_NODE) == FAKE
    return fake or (metadata.get("labels") or {}).get(NODE_LABEL) == "true"


def is_stopped(node: Mapping[str, Any]) -> bool:
    return (node["metadata"].get("annotations") or {}).get(STOPPED) == "true"


def kubelet_client(client: Client) -> Client:
    """As whom all simulated kubelets write."""
    return client.acting_as(_USER, groups=_GROUPS, agent="kubelet/localplane")


async def register(client: Client, options: NodeOptions) -> list[JSONObject]:
    """Make those of the nodes that were asked for that are not there, and return them. Admission gives a new node a
    taint until a controller has seen that it is ready: as these are from the beginning, they lose it at once. Raises
    APIError."""
    nodes, made = kubelet_client(client).resource(NODES), []
    for name in (f"node-{number}" for number in range(options.count)):
        try:
            await nodes.get(name)
        except NotFound:
            with suppress(AlreadyExists, Conflict):
                made.append(await nodes.create(new_node(name, options)))
                await nodes.update(_without_taint(made[-1]))
    return made


def _without_taint(node: JSONObject) -> JSONObject:
    taints = [taint for taint in node["spec"].get("taints") or () if taint["key"] != _NOT_READY]
    return {**node, "spec": {**node["spec"], "taints": taints}}


def new_node(name: str, options: NodeOptions, *, labels: Mapping[str, str] | None = None) -> JSONObject:
    architecture = _architecture()
    known = {
        "beta.kubernetes.io/arch": architecture,
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": architecture,
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        NODE_LABEL: "true",
    }
    metadata = {"name": name, "labels": known | dict(labels or {}), "annotations": {KWOK_NODE: FAKE}}
    node: JSONObject = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {}}
    return node | {"status": status(node, options, images=(), taken=frozenset())}


def status(
    node: Mapping[str, Any], options: NodeOptions, *, images: Iterable[str], taken: frozenset[str] | set[str]
) -> JSONObject:
    """What a kubelet says of this node. Whoever made it may have said how large it is, and where: that stays. `taken`
    are the addresses of other nodes."""
    said: JSONObject = deepcopy(node.get("status") or {})
    if not said.get("capacity"):
        said["capacity"] = _capacity(options)
    said["allocatable"] = _allocatable(said["capacity"], said.get("allocatable") or {})
    if not said.get("addresses"):
        name = node["metadata"]["name"]
        address = address_of(name, taken)
        said["addresses"] = [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}]
    said["conditions"] = _conditions(said.get("conditions") or ())
    said["nodeInfo"] = _node_info(node["metadata"]["name"], said.get("nodeInfo") or {})
    said["daemonEndpoints"] = {"kubeletEndpoint": {"Port": _KUBELET_PORT}}
    said["runtimeHandlers"] = [{"name": "", "features": {"recursiveReadOnlyMounts": True, "userNamespaces": True}}]
    said["features"] = {"supplementalGroupsPolicy": True}
    said["declaredFeatures"] = ["InPlacePodLevelResourcesVerticalScaling"]
    said["images"] = [{"names": [image], "sizeBytes": 0} for image in sorted(images)[:_MOST_IMAGES]]
    return {key: value for key, value in said.items() if value not in ([], {}, None)}


def with_heartbeat(said: Mapping[str, Any]) -> JSONObject:
    """The same, heard now."""
    moment = now()
    conditions = [each | {"lastHeartbeatTime": moment} if each["type"] in _OWN else each for each in said["conditions"]]
    return {**said, "conditions": conditions}


_OWN: Final = frozenset(kind for kind, *_ in _CONDITIONS)


def _conditions(before: Iterable[JSONObject]) -> list[JSONObject]:
    old = {each["type"]: each for each in before}
    others = [each for each in old.values() if each["type"] not in _OWN]
    moment = now()
    own = []
    for kind, state, reason, message in _CONDITIONS:
        was = old.get(kind, {})
        same = was.get("status") == state
        own.append(
            {
                "type": kind,
                "status": state,
                "lastHeartbeatTime": was.get("lastHeartbeatTime") if same else moment,
                "lastTransitionTime": was.get("lastTransitionTime") if same else moment,
                "reason": reason,
                "message": message,
            }
        )
    return others + own


def _capacity(options: NodeOptions) -> JSONObject:
    return {
        "cpu": options.cpu,
        "ephemeral-storage": options.ephemeral_storage,
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": options.memory,
        "pods": options.pods,
    }


def _allocatable(capacity: Mapping[str, Any], before: Mapping[str, Any]) -> JSONObject:
    """Whoever made the node may have kept something for the system. Of extended resources and huge pages, which may
    come and go, all there is can be had: a kubelet says so whenever somebody writes another capacity."""
    if not before:
        return dict(capacity)
    kept = {name: amount for name, amount in before.items() if name in capacity or not _comes_and_goes(name)}
    return kept | {name: amount for name, amount in capacity.items() if _comes_and_goes(name)}


def _comes_and_goes(name: str) -> bool:
    return is_extended(name) or is_huge_page(name)


def _node_info(name: str, said: Mapping[str, Any]) -> JSONObject:
    def number(what: str) -> str:
        return str(uuid.uuid5(_NAMES, f"{what}/{name}"))

    known = {
        "machineID": number("machine").replace("-", ""),
        "systemUUID": number("system"),
        "bootID": number("boot"),
        "kernelVersion": "6.0.0-simulated",
        "osImage": "Simulated (localplane)",
        "containerRuntimeVersion": "simulated://1.0",
        "kubeletVersion": VERSION,
        "kubeProxyVersion": "",
        "operatingSystem": "linux",
        "architecture": _architecture(),
    }
    return known | {key: value for key, value in said.items() if value}


def _architecture() -> str:
    return _ARCHITECTURES.get(platform.machine(), "amd64")


def address_of(name: str, taken: frozenset[str] | set[str]) -> str:
    """The same for the same name, unless another node has it."""
    number = int.from_bytes(sha256(name.encode()).digest()[:4], "big")
    digits = name.rpartition("-")[2]
    if digits.isascii() and digits.isdecimal() and len(digits) < 5:
        number = int(digits) + 2
    size = _NETWORK.num_addresses - 4
    for offset in range(size):
        address = str(_NETWORK[2 + (number - 2 + offset) % size])
        if address not in taken:
            return address
    return str(_NETWORK[2])


def host_ips(node: Mapping[str, Any]) -> tuple[str, ...]:
    addresses = (node.get("status") or {}).get("addresses") or ()
    internal = [each["address"] for each in addresses if each.get("type") == "InternalIP"]
    return tuple(internal[:2])
