"""`kctl node`: nodes that a local control plane simulates, added, removed, stopped and started while it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from kctl.changes.nodes import taints
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError, UsageError, raise_all
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import InvalidQuantity, parse
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.resources import PatchType, ResourceClient

_NODES = GroupVersionResource("", "v1", "nodes")
_MARK = "simulation.localplane/node"
_FAKE = "kwok.x-k8s.io/node"
_STOPPED = "simulation.localplane/stopped"
_MOST = 5_000


async def add(session: Session, flags: FlagSet) -> None:
    nodes = session.client.resource(_NODES)
    names = list(flags.arguments) or await _free_names(nodes, flags.number("count"))
    if flags.arguments and flags.changed("count"):
        raise UsageError("--count is for nodes without names: name them all, or none")
    wanted = _wanted(flags)
    for name in names:
        labels = {**wanted["labels"], _MARK: "true"}
        metadata = {"name": name, "labels": labels, "annotations": {_FAKE: "fake"}}
        node: JSONObject = {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": wanted["spec"]}
        if wanted["capacity"]:
            node["status"] = {"capacity": wanted["capacity"], "allocatable": wanted["capacity"]}
        await nodes.create(node)
        session.write(f"node/{name} added\n")


def _wanted(flags: FlagSet) -> JSONObject:
    """What all of them have. Raises KctlError for what is none of it."""
    capacity: dict[str, str] = {}
    for flag, resource in (("cpu", "cpu"), ("memory", "memory"), ("pods", "pods")):
        if not flags.changed(flag):
            continue
        text = flags.text(flag)
        try:
            parse(text)
        except InvalidQuantity as error:
            raise UsageError(f'invalid argument "{text}" for "--{flag}" flag: {error}') from error
        capacity[resource] = text
    spec: JSONObject = {}
    if words := flags.texts("taints"):
        added, removed = taints.read(words)
        if removed:
            raise KctlError("a node that is new has no taints to remove")
        spec["taints"] = added
    return {"capacity": capacity, "labels": flags.pairs("labels"), "spec": spec}


async def _free_names(nodes: ResourceClient, count: int) -> list[str]:
    """The next ones of node-0, node-1, ..."""
    if not 1 <= count <= _MOST:
        raise UsageError(f"--count {count} is not between 1 and {_MOST}")
    taken = {node["metadata"]["name"] for node in (await nodes.list())["items"]}
    names: list[str] = []
    number = 0
    while len(names) < count:
        if (name := f"node-{number}") not in taken:
            names.append(name)
        number += 1
    return names


async def remove(session: Session, flags: FlagSet) -> None:
    async def delete(nodes: ResourceClient, node: JSONObject) -> None:
        await nodes.delete(node["metadata"]["name"], uid=node["metadata"]["uid"])

    await _for_each(session, flags, delete, "removed")


async def stop(session: Session, flags: FlagSet) -> None:
    await _for_each(session, flags, _annotated("true"), "stopped")


async def start(session: Session, flags: FlagSet) -> None:
    await _for_each(session, flags, _annotated(None), "started")


def _annotated(value: str | None) -> Callable[[ResourceClient, JSONObject], Awaitable[None]]:
    async def annotate(nodes: ResourceClient, node: JSONObject) -> None:
        patch = {"metadata": {"annotations": {_STOPPED: value}}}
        await nodes.patch(node["metadata"]["name"], patch, PatchType.MERGE)

    return annotate


async def _for_each(
    session: Session, flags: FlagSet, change: Callable[[ResourceClient, JSONObject], Awaitable[None]], done: str
) -> None:
    """All that were named; what could not be done to one does not keep the others from it."""
    if not flags.arguments:
        raise UsageError("name at least one node")
    nodes = session.client.resource(_NODES)
    errors: list[Exception] = []
    for name in flags.arguments:
        try:
            node = await nodes.get(name)
            _require_simulated(node)
            await change(nodes, node)
        except (APIError, KctlError) as error:
            errors.append(error)
        else:
            session.write(f"node/{name} {done}\n")
    raise_all(errors)


def _require_simulated(node: JSONObject) -> None:
    metadata = node["metadata"]
    if (metadata.get("annotations") or {}).get(_FAKE) != "fake" and _MARK not in (metadata.get("labels") or {}):
        raise KctlError(f'node "{metadata["name"]}" is not simulated: its own kubelet decides what becomes of it')


COMMAND = Command(
    "node",
    "node",
    "Add, remove, stop and start simulated nodes",
    description="""\
Nodes that a control plane of 'kctl up' simulates: pods are scheduled to them and become ready, and nothing runs. They
are ordinary Node objects with the annotation kwok.x-k8s.io/node=fake; others are left alone. See them with 'kctl get
nodes', and keep new pods from one with 'kctl cordon'.""",
    examples="""\
# One node more
kctl node add

# Let a node fail, and see how its pods are moved away
kctl node stop node-0
kctl get nodes --watch""",
    commands=(
        Command(
            "add",
            "add [NAME...]",
            "Add simulated nodes",
            run=add,
            flags=(
                Flag("count", "int", 1, "How many, if they are not named: they are called node-0, node-1, ..."),
                Flag("cpu", usage="How many CPUs each has."),
                Flag("memory", usage="How much memory each has."),
                Flag("pods", usage="How many pods each takes."),
                Flag("labels", "pairs", (), "Labels of all of them, such as zone=a,disk=ssd."),
                Flag("taints", "slice", (), "Taints of all of them, such as gpu=true:NoSchedule."),
            ),
            description="Add simulated nodes to a running control plane. A node without a name gets the next free one.",
            examples="""\
# Three more
kctl node add --count 3

# A small one, with a name
kctl node add tiny --cpu 1 --memory 512Mi --pods 10

# One that only takes pods which tolerate it
kctl node add gpu-0 --labels accelerator=a100 --taints gpu=true:NoSchedule""",
        ),
        Command(
            "rm",
            "rm NAME...",
            "Remove simulated nodes",
            run=remove,
            description="""\
Remove simulated nodes as if their machines were gone. Their pods are collected, and made anew elsewhere if a controller
wants them. To move them away first, use 'kctl drain'.""",
            examples="""\
# It is gone at once
kctl node rm node-1""",
        ),
        Command(
            "stop",
            "stop NAME...",
            "Let simulated nodes fail",
            run=stop,
            description="""\
Let simulated nodes fall silent, as machines do that lose their network: they go NotReady after a while, are tainted,
and their pods are evicted when their tolerations end.""",
            examples="""\
# Lose a node
kctl node stop node-0""",
        ),
        Command(
            "start",
            "start NAME...",
            "Let stopped nodes come back",
            run=start,
            description="Let simulated nodes that were stopped come back. What was to be deleted there goes then.",
            examples="""\
# And it is back
kctl node start node-0""",
        ),
    ),
)
