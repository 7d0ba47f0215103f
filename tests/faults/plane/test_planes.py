"""Short runs of what `python -m tests.faults --through http` does for longer, and of a server that errs on purpose."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults.harness import Plan
from tests.faults.history import Rule
from tests.faults.plane.harness import run
from tests.faults.plane.lies import LyingTransport, Mischief
from tests.faults.plane.report import PlaneReport
from tests.faults.plane.stage import Kept, staged

FAULTS = {
    Kept.EXTERNAL: (
        "kill etcd",
        "kill both",
        "stop etcd",
        "etcd link: cut after the request",
        "etcd link: one direction",
        "etcd link: compact while cut",
        "client link: cut after the request",
    ),
    Kept.SQLITE: ("kill server", "stop server", "client link: cut after the request", "client link: half-open"),
}


@pytest.fixture
def directory() -> Iterator[Path]:
    """Short, because sockets lie in it and their paths have a limit."""
    path = Path(tempfile.mkdtemp(prefix="faults-"))
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize("kept", FAULTS)
async def test_a_plane_does_what_it_is_asked_for_once_whatever_breaks(kept: Kept, directory: Path) -> None:
    names = FAULTS[kept]
    async with staged(kept, directory, brief=True) as stage:
        chosen = replace(stage, faults=[fault for fault in stage.faults if fault.name in names])
        evidence = await run(Plan(kills=len(names), seed=4), chosen, stage.pool, operations=300, longest_load=0.5)
        await stage.plane.stop()
    report = PlaneReport(kept, evidence)
    print(f"\n{report}")
    assert {kill.target for kill in evidence.kills} == set(names)
    assert report.verdict(however_slow=True) == "PASSED", str(report)


@pytest.mark.parametrize(
    ("mischief", "rule"),
    [
        (Mischief.MAKE_TWICE, Rule.TWICE),
        (Mischief.INVITE_A_RETRY, Rule.TWICE),
        (Mischief.LOSE_APPENDS, Rule.DURABLE),
        (Mischief.DROP_EVENTS, Rule.RELIABLE),
        (Mischief.REPEAT_EVENTS, Rule.UNIQUE),
        (Mischief.SWAP_EVENTS, Rule.ORDERED),
    ],
)
async def test_a_server_that_errs_is_found_out(mischief: Mischief, rule: Rule, directory: Path) -> None:
    async with staged(Kept.SQLITE, directory) as stage:
        transport = LyingTransport(stage.pool, mischief)
        evidence = await run(Plan(kills=0, seed=5), stage, transport, operations=400)
    assert rule in {violation.rule for violation in evidence.violations}
