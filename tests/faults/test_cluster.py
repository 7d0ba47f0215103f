"""Two servers on one etcd cluster, whose members are killed: what one acknowledges, both keep and show."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from localplane.apiserver.storage.keys import DEFAULT_ROOT

from .cluster import Certificates, Cluster, running_cluster
from .committed import read_etcd
from .harness import Evidence, Plan, run
from .history import Commit
from .hosts import HostProcess
from .report import Report


@pytest.fixture
def directory() -> Iterator[Path]:
    """Short, because sockets lie in it and their paths have a limit."""
    path = Path(tempfile.mkdtemp(prefix="faults-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def certificates(directory: Path) -> Certificates:
    """An authority and the two pairs that it vouches for, made with the openssl program."""
    _openssl(directory, "req", "-x509", "-subj", "/CN=authority", *_new_key("authority"), "-out", "authority.pem")
    names = directory / "names"
    names.write_text("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n")
    for name in ("server", "client"):
        _openssl(directory, "req", "-subj", f"/CN={name}", *_new_key(name), "-out", f"{name}.csr")
        signing = ("-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial", "-extfile", str(names))
        _openssl(directory, "x509", "-req", "-days", "1", "-in", f"{name}.csr", *signing, "-out", f"{name}.pem")
    files = ("authority.pem", "server.pem", "server.key", "client.pem", "client.key")
    return Certificates(*(directory / file for file in files))


def _new_key(name: str) -> tuple[str, ...]:
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key")


def _openssl(directory: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)


async def _run_on(cluster: Cluster, directory: Path, plan: Plan, *, root: str = DEFAULT_ROOT) -> Evidence:
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
        evidence = await run(plan, [first, second], cluster.strike, read_log)
        await first.stop()
        await second.stop()
    return evidence


async def test_two_servers_on_a_cluster_lose_nothing_when_members_are_killed(directory: Path) -> None:
    async with running_cluster(directory) as cluster:
        report = Report("cluster", await _run_on(cluster, directory, Plan(kills=5, seed=5)))
    print(f"\n{report}")
    assert report.verdict() == "PASSED", str(report)


async def test_two_servers_on_a_cluster_with_mutual_tls_lose_nothing(
    directory: Path, certificates: Certificates
) -> None:
    """Also under a prefix of their own, because others may use the same cluster."""
    async with running_cluster(directory, certificates) as cluster:
        report = Report("cluster with TLS", await _run_on(cluster, directory, Plan(kills=2, seed=6), root="/elsewhere"))
    print(f"\n{report}")
    assert report.verdict() == "PASSED", str(report)
