"""Two servers on one etcd cluster, whose members are killed: what one acknowledges, both keep and show."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from localplane.apiserver.storage.keys import DEFAULT_ROOT
from tests.faults.certificates import Certificates, certificates
from tests.faults.cluster import Cluster, running_cluster
from tests.faults.committed import read_etcd
from tests.faults.harness import Evidence, Plan, run
from tests.faults.history import Commit
from tests.faults.hosts import HostProcess
from tests.faults.nemesis import Strike
from tests.faults.report import Report


@pytest.fixture
def directory() -> Iterator[Path]:
    """Short, because sockets lie in it and their paths have a limit."""
    path = Path(tempfile.mkdtemp(prefix="faults-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture(name="certificates")
def made_certificates(directory: Path) -> Certificates:
    return certificates(directory)


async def _run_on(
    cluster: Cluster, directory: Path, plan: Plan, *, root: str = DEFAULT_ROOT, strike: Strike | None = None
) -> Evidence:
    async def read_log() -> list[Commit]:
        client = cluster.client()
        try:
            return await read_etcd(client, root=root)
        finally:
            await client.close()

    arguments = [*cluster.host_arguments(), "--root", root]
    first = HostProcess("first", directory, arguments)
    second = HostProcess("second", directory, arguments)
    async with first, second:
        evidence = await run(plan, [first, second], strike or cluster.strike, read_log)
        await first.stop()
        await second.stop()
    return evidence


async def test_two_servers_on_a_cluster_lose_nothing_when_members_are_killed(directory: Path) -> None:
    async with running_cluster(directory) as cluster:
        report = Report("cluster", await _run_on(cluster, directory, Plan(kills=5, seed=5)))
    print(f"\n{report}")
    assert report.verdict(however_slow=True) == "PASSED", str(report)


async def test_two_servers_on_a_cluster_with_mutual_tls_lose_nothing(
    directory: Path, certificates: Certificates
) -> None:
    """Also under a prefix of their own, because others may use the same cluster."""
    async with running_cluster(directory, certificates) as cluster:
        report = Report("cluster with TLS", await _run_on(cluster, directory, Plan(kills=2, seed=6), root="/elsewhere"))
    print(f"\n{report}")
    assert report.verdict(however_slow=True) == "PASSED", str(report)


async def test_two_servers_lose_nothing_when_the_leader_stops_and_wakes_up_deposed(directory: Path) -> None:
    async with running_cluster(directory) as cluster:
        evidence = await _run_on(cluster, directory, Plan(kills=2, seed=8), strike=cluster.stop_the_leader)
    report = Report("cluster with a leader that stops", evidence)
    print(f"\n{report}")
    assert report.verdict(however_slow=True) == "PASSED", str(report)


async def test_two_servers_lose_nothing_when_they_are_cut_off_from_members(directory: Path) -> None:
    async with running_cluster(directory) as cluster:
        evidence = await _run_on(cluster, directory, Plan(kills=4, seed=9), strike=cluster.cut_off)
    report = Report("cluster behind links", evidence)
    print(f"\n{report}")
    assert report.verdict(however_slow=True) == "PASSED", str(report)
