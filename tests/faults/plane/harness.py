"""One run against a whole plane: load, watches and faults together, then quiet, then the judge."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from random import Random

from tests.faults.checker import check
from tests.faults.followers import at_rest, settled
from tests.faults.harness import Evidence, Plan
from tests.faults.history import History, Kind, Operation, Outcome
from tests.faults.nemesis import kill_repeatedly
from tests.faults.plane.client import Client, Transport, Unanswered
from tests.faults.plane.committed import check_state
from tests.faults.plane.followers import PlaneFollower
from tests.faults.plane.load import Known, Worker
from tests.faults.plane.nemesis import PlaneNemesis
from tests.faults.plane.objects import LISTS, VALUES, namespace_request
from tests.faults.plane.stage import Kept, Stage, staged
from tests.faults.recorder import Recorder

BACK_WITHIN = 60.0
_LONGEST_LOAD = 4.0
_ANSWER_WITHIN = 30.0
_CREATED = 201


async def run_on_plane(kept: Kept, plan: Plan, *, only: str = "") -> Evidence:
    """In a directory that stays only if something went wrong; `only` is in the names of the faults that are wanted."""
    directory = Path(tempfile.mkdtemp(prefix="faults-"))
    async with staged(kept, directory) as stage:
        wanted = [fault for fault in stage.faults if only in fault.name]
        evidence = await run(plan, replace(stage, faults=wanted or stage.faults), stage.pool)
        await stage.plane.stop()
    if not evidence.violations:
        shutil.rmtree(directory)
    return evidence


async def run(
    plan: Plan,
    stage: Stage,
    transport: Transport,
    *,
    namespaces: tuple[str, str] = ("one", "two"),
    operations: int = 0,
    longest_load: float = _LONGEST_LOAD,
) -> Evidence:
    """Load and watch a plane through a transport while its faults come over it, and judge what came of it.

    At least so many `operations` are done, however few faults there are.
    """
    random, recorder = Random(plan.seed), Recorder()
    known = Known(namespaces)
    client = Client(transport, within=_ANSWER_WITHIN)
    workers = [
        Worker(number, client, stage.plane, known, recorder=recorder, seed=random.getrandbits(32))
        for number in range(plan.clients)
    ]
    prefixes = (VALUES, LISTS, *(f"{VALUES}{name}/" for name in namespaces))
    followers = [
        PlaneFollower(
            *(transport, stage.plane, prefix),
            compacted=lambda: stage.tap.compacted,
            recorder=recorder,
            seed=random.getrandbits(32),
        )
        for _, prefix in zip(range(plan.followers), cycle(prefixes), strict=False)
    ]
    await _create_namespaces(Client(stage.pool, within=_ANSWER_WITHIN), namespaces)
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        tapping = group.create_task(stage.tap.run())
        following = [group.create_task(follower.run()) for follower in followers]
        began = recorder.now()
        loading = [group.create_task(worker.run(stop)) for worker in workers]
        strike = PlaneNemesis(stage.faults).strike
        kills = await kill_repeatedly(
            plan.kills, strike, recorder, random, back_within=BACK_WITHIN, longest_load=longest_load
        )
        await recorder.count(operations)
        stop.set()
        await asyncio.wait(loading)
        seconds = recorder.now() - began
        last = await _final_writes(Worker(plan.clients, client, stage.plane, known, recorder=recorder), namespaces)
        stuck = await settled(followers, last)
        await stage.tap.upto(max(operation.revision for operation in recorder.operations))
        for task in (tapping, *following):
            task.cancel()
    history = History(recorder.operations, recorder.streams, list(stage.tap.commits), at_rest(last))
    violations = [*check(history), *stuck, *await check_state(stage.tap)]
    return Evidence(plan, history, violations, kills, seconds, last, recorder.errors, recorder.watch_ends)


async def _create_namespaces(client: Client, namespaces: Sequence[str]) -> None:
    for name in namespaces:
        try:
            reply = await client.ask(namespace_request(name))
        except Unanswered as error:
            raise RuntimeError(f"no namespace {name}: {error}") from error
        assert reply.answer.status == _CREATED, reply.answer.body


async def _final_writes(worker: Worker, namespaces: Sequence[str]) -> list[Operation | None]:
    """One for every follower to wait for. A connection may still be one that is no more: then another try."""
    keys = [*(f"{VALUES}{name}/last" for name in namespaces), f"{LISTS}{namespaces[0]}/last"]
    written = []
    for key in keys:
        operation = None
        for attempt in range(3):
            operation = await worker.perform(worker.request(Kind.CREATE, f"{key}-{attempt}x"))
            if operation is not None and operation.outcome is Outcome.OK:
                break
        written.append(operation)
    return written
