"""A job that is over goes after the time that it gives itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from tests.integration.controllers.world import JOBS, World, opened

TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}


async def finished(world: World, name: str, ago: timedelta, **spec: Any) -> None:
    job = await world.create(JOBS, name, "default", spec={"template": TEMPLATE} | spec)
    when = format_time(datetime.now(UTC) - ago)
    conditions = [{"type": "Complete", "status": "True", "lastTransitionTime": when}]
    await world.of(JOBS, "default").update(job | {"status": {"conditions": conditions}}, subresource="status")


async def test_only_those_go_whose_time_is_over() -> None:
    async with opened("ttl-after-finished") as world:
        await finished(world, "forever", timedelta(days=1))
        await finished(world, "later", timedelta(seconds=1), ttlSecondsAfterFinished=1000)
        await world.create(JOBS, "running", "default", spec={"template": TEMPLATE, "ttlSecondsAfterFinished": 0})
        await finished(world, "soon", timedelta(seconds=1), ttlSecondsAfterFinished=2)
        await finished(world, "now", timedelta(seconds=1), ttlSecondsAfterFinished=0)
        going = await world.becomes(JOBS, "now", "default", so=is_going)
        assert going is not None
        assert going["metadata"]["finalizers"] == ["foregroundDeletion"]
        await world.becomes(JOBS, "soon", "default", so=is_going)
        left = {job["metadata"]["name"] for job in (await world.of(JOBS).list())["items"] if not is_going(job)}
        assert left == {"forever", "later", "running"}


def is_going(job: JSONObject | None) -> bool:
    return job is not None and "deletionTimestamp" in job["metadata"]
