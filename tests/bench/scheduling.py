"""How many pods a second get a node: `python -m tests.bench.scheduling --help`.

Nodes and pods are made first. Then the scheduler is started, and it is timed until every pod is bound: the search, the
bindings and the events are all in it, and so are the server and its store, which are in the same process.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.server.options import ServerOptions
from localplane.client import Client, GroupVersionResource, ListOptions
from localplane.client.workqueue.supervision import Background
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane
from localplane.controllers.context import ControllerContext
from localplane.scheduler import start
from tests.bench.figures import Aim, Table
from tests.bench.machine import facts
from tests.bench.options import parser
from tests.bench.report import as_json, as_text

HEADING = "Scheduling: one run on one machine, medians over the rounds. Everything is in one process."
_NODES: Final = GroupVersionResource("", "v1", "nodes")
_PODS: Final = GroupVersionResource("", "v1", "pods")
_REPLICA_SETS: Final = GroupVersionResource("apps", "v1", "replicasets")
_AT_ONCE: Final = 32
_LEAST_PER_SECOND: Final = 100.0


@dataclass(frozen=True, slots=True)
class Sizes:
    rounds: int
    nodes: int
    pods: int


FULL = Sizes(rounds=3, nodes=100, pods=1000)
QUICK = Sizes(rounds=1, nodes=100, pods=1000)
PROOF = Sizes(rounds=1, nodes=3, pods=6)
"""Enough to see that everything runs; its figures mean nothing."""


@dataclass(slots=True)
class Samples:
    """Of one kind of pods, over the rounds."""

    per_second: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


async def measure(sizes: Sizes, kind: StorageKind) -> Table:
    """Pods that ask for nothing special, and those of a replica set that keep apart as far as they can."""
    sides: dict[str, Samples] = {"plain": Samples(), "replica set": Samples()}
    for _ in range(sizes.rounds):
        for side, samples in sides.items():
            await _round(sizes, kind, samples, owned=side != "plain")
    table = Table(f"{sizes.pods} pods on {sizes.nodes} nodes, {kind.value}", tuple(sides))
    per_second = {side: samples.per_second for side, samples in sides.items()}
    table.add("bound", "per second", per_second, aim=Aim(at_least=_LEAST_PER_SECOND, of="plain"))
    table.add("CPU for one pod", "ms", {side: samples.cpu for side, samples in sides.items()})
    return table


async def _round(sizes: Sizes, kind: StorageKind, samples: Samples, *, owned: bool) -> None:
    options = ClusterOptions(
        storage=StorageOptions(kind=kind),
        server=ServerOptions(port=0),
        controllers=("none",),
        disabled_admission_plugins=("ServiceAccount", "TaintNodesByCondition"),
    )
    async with open_cluster(options) as plane:
        await _fill(plane.client, sizes, owned=owned)
        context = ControllerContext(plane.observer, plane.informers)
        began, cpu = time.perf_counter(), _cpu_seconds()
        async with Background(partial(start, context, seed=1)):
            await _all_bound(plane, sizes.pods)
        samples.per_second.append(sizes.pods / (time.perf_counter() - began))
        samples.cpu.append((_cpu_seconds() - cpu) * 1000 / sizes.pods)


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def _fill(client: Client, sizes: Sizes, *, owned: bool) -> None:
    await _some_at_once(sizes.nodes, partial(_make_node, client))
    owner = await client.resource(_REPLICA_SETS, "default").create(_replica_set()) if owned else None
    pods = client.resource(_PODS, "default")
    await _some_at_once(sizes.pods, lambda number: pods.create(_pod(number, owner)))


async def _some_at_once(count: int, make: Callable[[int], Awaitable[Any]]) -> None:
    slots = asyncio.Semaphore(_AT_ONCE)

    async def limited(number: int) -> None:
        async with slots:
            await make(number)

    async with asyncio.TaskGroup() as tasks:
        for number in range(count):
            tasks.create_task(limited(number))


async def _make_node(client: Client, number: int) -> None:
    nodes, name = client.resource(_NODES), f"node-{number:03}"
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{number % 3}"}
    node = await nodes.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})
    capacity = {"cpu": "16", "memory": "64Gi", "pods": "110"}
    await nodes.update(node | {"status": {"capacity": capacity, "allocatable": capacity}}, subresource="status")


def _replica_set() -> JSONObject:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec}


def _pod(number: int, owner: JSONObject | None) -> JSONObject:
    metadata: JSONObject = {"name": f"pod-{number:05}", "labels": {"app": "web"}}
    if owner is not None:
        reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": owner["metadata"]["uid"]}
        metadata["ownerReferences"] = [reference | {"controller": True}]
    requests = {"cpu": "100m", "memory": "128Mi"}
    container = {"name": "main", "image": "nginx", "resources": {"requests": requests}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


async def _all_bound(plane: Plane, count: int) -> None:
    """Told by a watch, so that waiting costs no lists."""
    pods = plane.client.resource(_PODS, "default")
    listed = await pods.list()
    waiting = {pod["metadata"]["name"] for pod in listed["items"] if not pod["spec"].get("nodeName")}
    assert len(listed["items"]) == count
    async with pods.watch(ListOptions(resource_version=listed["metadata"]["resourceVersion"])) as stream:
        while waiting:
            event = await anext(stream)
            if event.object["spec"].get("nodeName"):
                waiting.discard(event.object["metadata"]["name"])


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser("tests.bench.scheduling", __doc__)
    options.formatter_class = argparse.RawDescriptionHelpFormatter
    options.add_argument("--storage", choices=[kind.value for kind in StorageKind], default=StorageKind.MEMORY.value)
    options.add_argument("--nodes", type=int, help="how many nodes there are")
    options.add_argument("--pods", type=int, help="how many pods are placed")
    given = options.parse_args(arguments)
    base = QUICK if given.quick else FULL
    sizes = Sizes(given.rounds or base.rounds, given.nodes or base.nodes, given.pods or base.pods)
    table = asyncio.run(measure(sizes, StorageKind(given.storage)))
    command = "python -m tests.bench.scheduling" + (" --quick" if given.quick else "")
    machine = facts(Path(tempfile.gettempdir()))
    print(as_text(machine, [table], command, heading=HEADING))
    if given.json:
        given.json.write_text(as_json(machine, [table], command), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
