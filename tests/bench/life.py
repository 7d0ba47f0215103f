"""How soon pods are ready, and what they cost when they are: `python -m tests.bench.life --help`.

A Deployment is created on a plane as `kctl up` starts it, and it is timed until all its pods are available: the
controllers, the scheduler, the simulated nodes and the store are all in it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from localplane.client import Client, GroupVersionResource
from localplane.client.kubeconfig import load, resolve
from localplane.compose.options import StorageKind
from tests.bench.figures import Aim, Table
from tests.bench.machine import facts
from tests.bench.options import parser
from tests.bench.processes import cpu_seconds, resident_bytes
from tests.bench.report import as_json, as_text
from tests.bench.running_plane import RunningPlane, running_plane

HEADING = "Pods on simulated nodes: one run on one machine, medians over the rounds. CPU is the server's."
SIDE: Final = "kctl up"
_DEPLOYMENTS: Final = GroupVersionResource("apps", "v1", "deployments")
_NODES: Final = GroupVersionResource("", "v1", "nodes")
_MEGABYTE: Final = 1e6
_LOOK_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class Sizes:
    """`idle` is how long the plane is left alone with the most pods, after `settle`."""

    rounds: int
    nodes: int
    pods: tuple[int, ...]
    settle: timedelta
    idle: timedelta


FULL = Sizes(3, 10, (1, 100, 1000), timedelta(seconds=10), timedelta(seconds=30))
QUICK = Sizes(1, 10, (1, 100, 1000), timedelta(seconds=5), timedelta(seconds=10))
PROOF = Sizes(1, 2, (1, 3), timedelta(0), timedelta(seconds=0.1))
"""Enough to see that everything runs; its figures mean nothing."""


@dataclass(slots=True)
class Samples:
    """Of one number of pods, over the rounds."""

    ready: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)


def main(argv: Sequence[str]) -> int:
    options = _options(argv)
    sizes = QUICK if options.quick else FULL
    command = " ".join(["python -m tests.bench.life", *argv])
    with tempfile.TemporaryDirectory(prefix="kctl-bench-") as directory:
        machine = facts(Path(directory), needs_etcd=options.storage is StorageKind.ETCD)
        table = measure(sizes, options.storage, Path(directory))
    del machine["object"]
    print(as_text(machine, [table], command, heading=HEADING))
    if options.json is not None:
        options.json.write_text(as_json(machine, [table], command) + "\n", encoding="utf-8")
    return 0


def measure(sizes: Sizes, kind: StorageKind, directory: Path) -> Table:
    samples = {count: Samples() for count in sizes.pods}
    for number in range(sizes.rounds):
        for count in sizes.pods:
            print(f"measuring: {count} pods, round {number + 1} of {sizes.rounds}", file=sys.stderr, flush=True)
            home = directory / f"{count}-{number}"
            home.mkdir()
            with running_plane(home, "--storage", kind.value, "--nodes", str(sizes.nodes)) as plane:
                asyncio.run(_measure_one(samples[count], plane, home / "config", sizes, count))
                if count == max(sizes.pods):
                    _measure_idle(samples[count], plane, sizes)
    return _table(samples, sizes)


async def _measure_one(samples: Samples, plane: RunningPlane, kubeconfig: Path, sizes: Sizes, count: int) -> None:
    async with Client.connect(resolve(load(kubeconfig))) as client:
        nodes, deployments = client.resource(_NODES), client.resource(_DEPLOYMENTS, "default")
        while sum(map(_is_ready, (await nodes.list())["items"])) < sizes.nodes:  # noqa: ASYNC110 - another process's
            await asyncio.sleep(_LOOK_SECONDS)
        begun, cpu = time.perf_counter(), cpu_seconds(plane.pid)
        deployment = await deployments.create(_deployment(count))
        while deployment.get("status", {}).get("availableReplicas") != count:
            await asyncio.sleep(_LOOK_SECONDS)
            deployment = await deployments.get("web")
        samples.ready.append(time.perf_counter() - begun)
        samples.cpu.append(cpu_seconds(plane.pid) - cpu)


def _is_ready(node: dict[str, Any]) -> bool:
    conditions = node.get("status", {}).get("conditions", ())
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _deployment(count: int) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}}
    spec = {"replicas": count, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def _measure_idle(samples: Samples, plane: RunningPlane, sizes: Sizes) -> None:
    time.sleep(sizes.settle.total_seconds())
    begun, cpu = time.perf_counter(), cpu_seconds(plane.pid)
    time.sleep(sizes.idle.total_seconds())
    samples.idle.append((cpu_seconds(plane.pid) - cpu) / (time.perf_counter() - begun) * 100)
    samples.resident.append(resident_bytes(plane.pid) / _MEGABYTE)


def _table(samples: dict[int, Samples], sizes: Sizes) -> Table:
    table = Table(f"a deployment on {sizes.nodes} simulated nodes", (SIDE,))
    for count, found in samples.items():
        aim = Aim(at_most=3.0, of=SIDE) if count == 1 else None
        table.add(f"{count} pods, ready after", "s", {SIDE: found.ready}, aim=aim)
        table.add(f"{count} pods, CPU so far", "s", {SIDE: found.cpu})
        if found.idle:
            table.add(f"{count} pods, memory", "MB", {SIDE: found.resident})
            table.add(f"{count} pods, idle CPU", "%", {SIDE: found.idle}, aim=Aim(at_most=2.0, of=SIDE))
    return table


def _options(argv: Sequence[str]) -> argparse.Namespace:
    made = parser("tests.bench.life", __doc__)
    made.add_argument(
        "--storage",
        type=StorageKind,
        choices=list(StorageKind),
        default=StorageKind.ETCD,
        metavar="STORE",
        help="etcd (the default), sqlite or memory",
    )
    return made.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
