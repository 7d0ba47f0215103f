"""Jobs, and pods whose end a test decides."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from tests.integration.life.world import World

JOBS = "batch/v1/jobs"
PODS = "v1/pods"
TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"


def a_job(name: str = "work", *, restart: str = "Never", **spec: Any) -> JSONObject:
    template = {"spec": {"restartPolicy": restart, "containers": [{"name": "main", "image": "busybox"}]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


async def end(world: World, pod: JSONObject, *, code: int = 0, **status: Any) -> None:
    """The pod has ended long ago, so that nobody waits before it is replaced."""
    long_ago = format_time(datetime.now(UTC) - timedelta(hours=1))
    terminated = {"exitCode": code, "startedAt": long_ago, "finishedAt": long_ago}
    container = {
        "name": "main",
        "image": "busybox",
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "state": {"terminated": terminated},
    }
    phase = "Failed" if code else "Succeeded"
    change = {"status": {"phase": phase, "containerStatuses": [container], **status}}
    await world.merge(PODS, pod["metadata"]["name"], change, subresource="status")


def active(pods: list[JSONObject]) -> list[JSONObject]:
    return [
        pod
        for pod in pods
        if pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")
        and "deletionTimestamp" not in pod["metadata"]
    ]


async def active_pods(world: World, count: int) -> list[JSONObject]:
    """When there are so many."""
    return active(await world.until(PODS, lambda pods: len(active(pods)) == count))


def true_conditions(job: JSONObject) -> dict[str, JSONObject]:
    conditions = job.get("status", {}).get("conditions") or ()
    return {each["type"]: each for each in conditions if each["status"] == "True"}


async def complete(world: World, name: str = "work") -> JSONObject:
    return await world.becomes(JOBS, name, lambda job: "Complete" in true_conditions(job))


async def failed(world: World, name: str = "work") -> JSONObject:
    return await world.becomes(JOBS, name, lambda job: "Failed" in true_conditions(job))


def index_of(pod: JSONObject) -> str:
    return str(pod["metadata"]["annotations"][INDEX])
