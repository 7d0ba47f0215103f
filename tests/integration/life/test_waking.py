"""A controller that has nothing to do is not even imported."""

from __future__ import annotations

import json
import subprocess
import sys

SCRIPT = """
import asyncio, json, sys
from importlib.util import find_spec
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions
from localplane.compose.options import StorageKind, StorageOptions
from localplane.apiserver.server.options import ServerOptions
from localplane.client import GroupVersionResource

SLEEPY = (
    "workloads.deployments", "workloads.jobs", "workloads.stateful_sets", "workloads.cron_jobs", "workloads.disruption",
    "networking.endpoints", "volumes.volumes",
)

def loaded():
    return [name for name in SLEEPY if f"localplane.controllers.{name}" in sys.modules]

async def main():
    options = ClusterOptions(storage=StorageOptions(kind=StorageKind.MEMORY), server=ServerOptions(port=0), nodes=0)
    async with open_cluster(options) as plane:
        await asyncio.sleep(0.2)
        before = loaded()
        jobs = plane.client.resource(GroupVersionResource("batch", "v1", "jobs"), "default")
        container = {"name": "c", "image": "i"}
        template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": template}}
        await jobs.create(job)
        pods = plane.client.resource(GroupVersionResource("", "v1", "pods"), "default")
        async with asyncio.timeout(60):
            while not (await pods.list())["items"]:
                await asyncio.sleep(0.02)
        print(json.dumps({"before": before, "after": loaded(), "scheduler": "localplane.scheduler" in sys.modules}))

asyncio.run(main())
assert all(find_spec(f"localplane.controllers.{name}") for name in SLEEPY), "one of them is called otherwise"
"""


def test_a_controller_is_imported_when_the_first_object_of_its_kind_comes() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=120)
    told = json.loads(done.stdout)
    assert told["before"] == []
    assert "workloads.jobs" in told["after"]
    assert "workloads.cron_jobs" not in told["after"]
    assert "workloads.stateful_sets" not in told["after"]
    assert not told["scheduler"]
