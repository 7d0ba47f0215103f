"""One run: load, watches and kills together, then quiet, then the judge."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from random import Random

from localplane.apiserver.storage.etcd.client import EtcdClient
from tests.faults.checker import check
from tests.faults.committed import read_etcd, read_sqlite
from tests.faults.followers import HostFollower, at_rest, settled
from tests.faults.history import Commit, History, Kind, Operation, Violation
from tests.faults.hosts import HostFailed, HostProcess, etcd_pid
from tests.faults.load import EVERYTHING, NAMESPACES, Client, Knowledge
from tests.faults.nemesis import HostNemesis, Kill, Strike, Target, kill_repeatedly
from tests.faults.recorder import Recorder

ReadLog = Callable[[], Awaitable[list[Commit]]]

_OBJECTS = 24


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything. The same seed gives the same choices, though never quite the same moments."""

    kills: int
    seed: int
    clients: int = 8
    followers: int = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run has shown. `seconds` is the whole time under load, outages included."""

    plan: Plan
    history: History
    violations: Sequence[Violation]
    kills: Sequence[Kill]
    seconds: float
    final_writes: Sequence[Operation | None]
    errors: Counter[str]
    watch_ends: Counter[str]


async def run_on_one_host(store: str, plan: Plan, *options: str) -> Evidence:
    """A host with its own store, in a directory that stays only if something went wrong.

    `options` are the host's, such as a lie that it should tell.
    """
    directory = Path(tempfile.mkdtemp(prefix="faults-"))
    host = HostProcess("host", directory, ["--store", store, "--data-dir", str(directory / "data"), *options])
    targets = (Target.STORE, Target.HOST, Target.BOTH) if store == "etcd" else (Target.HOST,)

    async def read_log() -> list[Commit]:
        if store == "sqlite":
            return read_sqlite(directory / "data" / "sqlite.db")
        client = EtcdClient([f"unix://{(await host.status())['etcd_socket']}"])
        try:
            return await read_etcd(client)
        finally:
            await client.close()

    async with host:
        evidence = await run(plan, [host], HostNemesis(host, targets).strike, read_log)
        await _stop_without_leaving_anything(host)
    if not evidence.violations or options:
        shutil.rmtree(directory)
    return evidence


async def run(plan: Plan, hosts: list[HostProcess], strike: Strike, read_log: ReadLog) -> Evidence:
    """Load and watch the hosts while `strike` is called again and again, and judge what came of it."""
    random, recorder = Random(plan.seed), Recorder()
    keys = [f"{NAMESPACES[index % 2]}object-{index}" for index in range(_OBJECTS)]
    knowledge = Knowledge(keys)
    clients = [
        Client(number, host, knowledge, recorder, random.getrandbits(32))
        for number, host in zip(range(plan.clients), cycle(hosts), strict=False)
    ]
    followers = [
        HostFollower(hosts, prefix, recorder, random.getrandbits(32))
        for _, prefix in zip(range(plan.followers), cycle((EVERYTHING, *NAMESPACES)), strict=False)
    ]
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        following = [group.create_task(follower.run()) for follower in followers]
        began = recorder.now()
        loading = [group.create_task(client.run(stop)) for client in clients]
        kills = await kill_repeatedly(plan.kills, strike, recorder, random)
        stop.set()
        await asyncio.wait(loading)
        seconds = recorder.now() - began
        last = await _final_writes(Client(plan.clients, hosts[0], knowledge, recorder, 0))
        stuck = await settled(followers, last)
        for task in following:
            task.cancel()
    history = History(recorder.operations, recorder.streams, await read_log(), at_rest(last))
    violations = [*check(history), *stuck]
    return Evidence(plan, history, violations, kills, seconds, last, recorder.errors, recorder.watch_ends)


async def _final_writes(client: Client) -> list[Operation | None]:
    """One in every namespace, so that every follower has an event to wait for."""
    try:
        return [await client.perform(client.request(Kind.CREATE, f"{prefix}last")) for prefix in NAMESPACES]
    finally:
        client.close()


async def _stop_without_leaving_anything(host: HostProcess) -> None:
    pid = await etcd_pid(host)
    await host.stop()
    if pid is not None and Path(f"/proc/{pid}").exists() and os.getpgid(pid) == pid:
        raise HostFailed(f"etcd, process {pid}, outlived its host")
