"""Nobody waits long for what somebody asks the instruments of a plane, however much they have to tell."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import orjson
import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.faults import Faults
from localplane.apiserver.faults.active_rule import ActiveRule, Subject
from localplane.apiserver.faults.rule import Fault, Rule
from localplane.apiserver.request import Response, whole_body
from localplane.apiserver.request_log import MOST, RequestLog
from localplane.apiserver.storage.archive import Archive
from localplane.catalog.core.config_maps import CONFIG_MAPS
from localplane.catalog.declarations import group
from localplane.instruments.faults import FaultsInstrument
from localplane.instruments.history import History
from localplane.instruments.requests import Requests
from localplane.instruments.snapshots import Snapshots
from localplane.instruments.table import ROOT, Instruments
from tests.bench.stalls.plane import config_map
from tests.integration.api.talk import ADMIN, API
from tests.integration.stalls.held_loop import measured, new_loop
from tests.integration.stalls.test_no_request_holds_the_loop import LONGEST_SECONDS
from tests.unit.filters.requests import make_request

OBJECTS = 5_000
REVISIONS = 2_000
NAME = "changed-often"


class Bench:
    """A server's instruments, with much to tell."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self.api = runner.run(API.start([group("", CONFIG_MAPS)]))
        log, faults = _busy_log(), Faults()
        rule = ActiveRule(Rule(fault=Fault(answer=503)), "rule")
        for _ in range(MOST):
            faults.note(rule, Subject("get", "/api/v1/pods"))
        archive = Archive(self.api.cacher, own=(), lifetimes=dict)
        self.instruments = Instruments()
        self.instruments.mount("faults", FaultsInstrument(faults).answer)
        self.instruments.mount(
            "history", History(self.api.cacher, self.api.installer, log, self.api.installer.handle).handle
        )
        self.instruments.mount("requests", Requests(log).handle)
        self.instruments.mount("snapshots", Snapshots(archive, plane="", store=str).handle)
        runner.run(self._change())

    async def _change(self) -> None:
        """After the requests: whatever they have written came while none of them was over."""
        storage = self.api.cacher.resource("/configmaps/")
        for number in range(OBJECTS):
            await storage.create(f"/configmaps/default/{number:06}", config_map(f"{number:06}", number))
        await storage.create(f"/configmaps/default/{NAME}", config_map(NAME, 0))
        numbers = iter(range(1, REVISIONS))

        async def another(_: JSONObject) -> JSONObject:
            return config_map(NAME, next(numbers))

        for _ in range(1, REVISIONS):
            await storage.guaranteed_update(f"/configmaps/default/{NAME}", another)

    def ask(self, path: str) -> bytes:
        return self._runner.run(self._asked(path))

    async def _asked(self, path: str) -> bytes:
        answer = await self.instruments.handle(make_request("GET", ROOT + path, user=ADMIN, remote=""))
        assert isinstance(answer, Response)
        return await whole_body(answer.body)


def _busy_log() -> RequestLog:
    log = RequestLog()
    begun = perf_counter()
    for number in range(MOST):
        request = make_request("POST", "/api/v1/namespaces/default/configmaps", user=ADMIN)
        log.requests.note(request, Response(201), 7, begun + number * 1e-6, 3600.0)
    return log


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        bench = Bench(runner)
        yield bench
        runner.run(bench.api.close())


@pytest.mark.parametrize(
    ("path", "told", "least"),
    [
        ("history/changes?at=1", "changes", OBJECTS),
        ("history/changes?at=1&namespace=default", "changes", OBJECTS),
        (f"history/object?resource=configmaps&namespace=default&name={NAME}", "revisions", REVISIONS),
        ("requests", "requests", MOST),
        ("requests?user=admin&verb=create&resource=configmaps", "requests", MOST),
        ("faults", "record", MOST),
    ],
)
def test_much_to_tell_lets_others_in(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, path: str, told: str, least: int
) -> None:
    with measured(monkeypatch) as held:
        answer = bench.ask(path)
    listed: list[Any] = orjson.loads(answer)[told]
    assert len(listed) >= least
    assert held.longest < LONGEST_SECONDS, f"{held.longest * 1e3:.0f} ms in one of {held.callbacks} callbacks"


def test_a_snapshot_lets_others_in(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with measured(monkeypatch) as held:
        answer = bench.ask("snapshots")
    assert answer.count(b"ConfigMap") > OBJECTS
    assert held.longest < LONGEST_SECONDS, f"{held.longest * 1e3:.0f} ms in one of {held.callbacks} callbacks"
