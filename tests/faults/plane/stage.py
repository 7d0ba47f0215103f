"""What a run takes place on: a plane behind a proxy, its store, the way to read that store's log, and all that can be
done to them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.etcd.program.binary import find_etcd
from tests.faults.cluster import Member, answered, free_ports
from tests.faults.plane.client import Pool
from tests.faults.plane.committed import EtcdTap, SQLiteTap, Tap
from tests.faults.plane.nemesis import Blows, Fault, Forgetting, Store, Trips
from tests.faults.plane.processes import PlaneProcess
from tests.faults.proxy import Link

_HERE = "127.0.0.1"


class Kept(StrEnum):
    """Where a plane keeps its objects: in an etcd that it runs, in one that it is told of, or in a file. What is only
    in memory does not outlive a kill, and has no log that could be read beside the server."""

    ETCD = "etcd"
    EXTERNAL = "etcd-servers"
    SQLITE = "sqlite"


@dataclass(frozen=True, slots=True)
class Stage:
    plane: PlaneProcess
    pool: Pool
    tap: Tap
    faults: Sequence[Fault]


@dataclass(frozen=True, slots=True)
class OwnEtcd:
    """An etcd that nobody starts again but whoever killed it, and the link by which a plane gets there."""

    member: Member
    port: int
    link: Link

    @property
    def url(self) -> str:
        """Past the link."""
        return f"http://{_HERE}:{self.port}"

    async def start(self) -> None:
        """Return when it answers: a server that finds no store does not start."""
        await self.member.start()
        await answered(EtcdClient([self.url]))


@asynccontextmanager
async def staged(kept: Kept, directory: Path, *, brief: bool = False) -> AsyncIterator[Stage]:
    """Everything runs. Without `brief` some faults outlast the time that the server waits for its store."""
    (port,) = free_ports(1)
    async with AsyncExitStack() as stack:
        way = await stack.enter_async_context(Link(_HERE, port))
        arguments = ["--storage", kept.value, "--data-dir", str(directory / "data")]
        etcd = None
        if kept is Kept.EXTERNAL:
            etcd = await stack.enter_async_context(running_etcd(directory))
            arguments = ["--etcd-servers", f"http://{_HERE}:{etcd.link.port}"]
        environ = {"KCTL_ETCD": str(find_etcd().path), "PATH": os.environ["PATH"]}
        plane = await stack.enter_async_context(PlaneProcess(directory, port, arguments, environ))
        pool = Pool(plane.place(way.port))
        stack.callback(pool.close)

        def came_back() -> None:
            pool.place = plane.place(way.port)

        blows = Blows(plane, _store(kept, plane, etcd), came_back, long=not brief)
        faults = [*blows.faults(), *Trips("client link", way).faults()]
        tap = _tap(kept, plane, etcd, directory)
        if etcd is not None and isinstance(tap, EtcdTap):
            faults += Trips("etcd link", etcd.link, long=not brief).faults()
            faults += Forgetting(blows, etcd.link, tap.compact).faults()
        yield Stage(plane, pool, tap, faults)


def _store(kept: Kept, plane: PlaneProcess, etcd: OwnEtcd | None) -> Store | None:
    if etcd is not None:
        return Store(lambda: etcd.member.pid, etcd.member.kill, etcd.start)
    return Store(lambda: plane.etcd_pid) if kept is Kept.ETCD else None


def _tap(kept: Kept, plane: PlaneProcess, etcd: OwnEtcd | None, directory: Path) -> Tap:
    if etcd is not None:
        return EtcdTap(lambda: etcd.url)
    if kept is Kept.ETCD:
        return EtcdTap(lambda: plane.etcd_socket)
    return SQLiteTap(directory / "data" / "sqlite.db", plane.up.is_set)


@asynccontextmanager
async def running_etcd(directory: Path) -> AsyncIterator[OwnEtcd]:
    port, peer = free_ports(2)
    flags = {
        "data-dir": directory / "etcd",
        "listen-client-urls": f"http://{_HERE}:{port}",
        "advertise-client-urls": f"http://{_HERE}:{port}",
        "listen-peer-urls": f"http://{_HERE}:{peer}",
        "initial-advertise-peer-urls": f"http://{_HERE}:{peer}",
        "initial-cluster": f"default=http://{_HERE}:{peer}",
        "log-level": "warn",
    }
    arguments = [str(find_etcd().path), *(f"--{name}={value}" for name, value in flags.items())]
    async with Link(_HERE, port) as link:
        etcd = OwnEtcd(Member(arguments, directory / "etcd.log"), port, link)
        try:
            await etcd.start()
            yield etcd
        finally:
            await etcd.member.kill()
