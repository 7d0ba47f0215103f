"""Stories told to two servers, until so many requests were sent."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from itertools import count

from tests.differential.comparison import Difference, difference, minimised
from tests.differential.report import Report
from tests.differential.samples import NAMESPACE, Sample, definitions, samples
from tests.differential.servers import Server, Step, both
from tests.differential.stories import Story, story

_BY_FORCE = (("fieldManager", "differential"), ("force", "true"))
_MOST_LOOKS = 300
_LOOK_SECONDS = 0.1
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


async def compare(
    peer: Server, ours: Server, *, requests: int, seed: int = 1, kinds: Sequence[str] = (), first_story: int = 0
) -> Report:
    """`kinds` are those of the samples, all if there are none."""
    servers, report = (peer, ours), Report()
    await _prepare(servers)
    wanted = [sample for sample in samples() if not kinds or sample.kind in kinds]
    prefix = "x" + "".join(random.choices("bcdfghjk", k=5))
    for number in count(first_story):
        if report.requests >= requests:
            break
        await _told(servers, story(number, wanted, seed, prefix), report)
    return report


async def _prepare(servers: Sequence[Server]) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    for server in servers:
        await server.ask(Step("POST", "/api/v1/namespaces", body=namespace))
        for definition in definitions():
            path = f"{_DEFINITIONS}/{definition['metadata']['name']}"
            await server.ask(Step("PATCH", path, _BY_FORCE, definition, "application/apply-patch+yaml"))
        for definition in definitions():
            await _until_served(server, definition["spec"]["group"], definition["spec"]["names"]["plural"])


async def _until_served(server: Server, group: str, plural: str) -> None:
    """A definition is served a moment after it was made."""
    for _ in range(_MOST_LOOKS):
        if (await server.ask(Step("GET", f"/apis/{group}/v1/{plural}"))).status == 200:
            return
        await asyncio.sleep(_LOOK_SECONDS)
    raise TimeoutError(f"{plural}.{group} is defined and not served")


async def _told(servers: Sequence[Server], told: Story, report: Report) -> None:
    """A story is over at its first difference: what comes after it may only follow from it."""
    for server in servers:
        server.last = ""
    exists = False
    try:
        for step in told.creation:
            if exists and step.method == "POST":
                break
            replies = await both(servers, step)
            report.requests += 1
            if (found := difference(step, *replies)) is not None:
                await _note(servers, found, told.sample, report)
                if replies[0].status != replies[1].status and ("dryRun", "All") not in step.query:
                    return
            exists = replies[0].status == replies[1].status == 201 and ("dryRun", "All") not in step.query
        for step in told.steps:
            replies = await both(servers, step)
            report.requests += 1
            if (found := difference(step, *replies)) is not None:
                await _note(servers, found, told.sample, report)
                return
    finally:
        await _end(servers, told, report)


async def _end(servers: Sequence[Server], told: Story, report: Report) -> None:
    for step in told.end:
        replies = await both(servers, step)
        if step is told.end[0]:
            report.requests += 1
            if (found := difference(step, *replies)) is not None:
                report.add(found, told.sample.kind)


async def _note(servers: Sequence[Server], found: Difference, sample: Sample, report: Report) -> None:
    if not report.add(found, sample.kind):
        return

    async def again(step: Step) -> Difference | None:
        return difference(step, *await both(servers, step))

    report.groups[found.group] = await minimised(found, again)
