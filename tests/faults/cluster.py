"""A real etcd cluster of three members on the loopback interface, with or without mutual TLS."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from random import Random

from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.etcd.client import EtcdClient, messages
from localplane.apiserver.storage.etcd.client.methods import RANGE, STATUS
from localplane.apiserver.storage.etcd.program.binary import find_etcd
from localplane.apiserver.storage.etcd.program.parent_death import Lifeline, ParentDeath
from tests.faults.certificates import Certificates
from tests.faults.hosts import freeze, thaw
from tests.faults.nemesis import Struck, Target
from tests.faults.proxy import BOTH, PASSING, Direction, Link, Manner
from tests.faults.recorder import Recorder

_READY_WITHIN = 60.0
_STATUS_WITHIN = timedelta(seconds=1)
_SHORTEST_OUTAGE, _LONGEST_OUTAGE = 0.3, 1.2


class Member:
    """One etcd, through all its lives."""

    def __init__(self, arguments: list[str], log: Path) -> None:
        self._arguments = arguments
        self._log = log
        self._process: asyncio.subprocess.Process | None = None
        self._lifeline: Lifeline | None = None

    async def start(self) -> None:
        lifeline = Lifeline(ParentDeath.here(), self._arguments)
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *lifeline.argv, stdin=lifeline.stdin, stdout=log, stderr=log, start_new_session=True
            )
        lifeline.started()
        self._lifeline = lifeline

    @property
    def pid(self) -> int | None:
        """None while it is dead."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def kill(self) -> None:
        assert self._process is not None
        assert self._lifeline is not None
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        self._lifeline.cut()


@dataclass(frozen=True, slots=True)
class Seat:
    """A member, where it is met, and the link by which hosts get there."""

    member: Member
    url: str
    link: Link

    def linked_url(self) -> str:
        return f"{self.url.rpartition(':')[0]}:{self.link.port}"


class Cluster:
    def __init__(self, seats: Sequence[Seat], certificates: Certificates | None) -> None:
        self.servers = [seat.linked_url() for seat in seats]
        self.certificates = certificates
        self._seats = seats
        self._victims = cycle(seats)

    def client(self, *urls: str) -> EtcdClient:
        """Of the members themselves, past the links."""
        tls = self.certificates.for_clients if self.certificates else None
        return EtcdClient(urls or [seat.url for seat in self._seats], tls=tls)

    def host_arguments(self) -> list[str]:
        """What a host needs to be told to use this cluster."""
        arguments = ["--store", "etcd"]
        for server in self.servers:
            arguments += ["--etcd-server", server]
        if self.certificates is not None:
            files = self.certificates
            arguments += ["--ca", str(files.authority), "--certificate", str(files.client), "--key"]
            arguments.append(str(files.client_key))
        return arguments

    async def strike(self, random: Random) -> Struck:
        """Kill one member, leave the other two alone for a while, and start it again.

        In turn, as clients move on: so every kill meets the member that they talk to, and in three the leader.
        """
        member = next(self._victims).member
        await member.kill()
        dead_at = Recorder.now()
        await asyncio.sleep(random.uniform(_SHORTEST_OUTAGE, _LONGEST_OUTAGE))
        await member.start()
        return Struck(Target.MEMBER, dead_at)

    async def stop_the_leader(self, random: Random) -> Struck:
        """Freeze the leader until the others have another one, and for a while that it does not know of."""
        leader = await self._leader()
        assert leader.member.pid is not None
        freeze(leader.member.pid)
        stopped_at = Recorder.now()
        try:
            await self._leader(besides=leader)
            await asyncio.sleep(random.uniform(_SHORTEST_OUTAGE, _LONGEST_OUTAGE))
        finally:
            thaw(leader.member.pid)
        return Struck(Target.LEADER, stopped_at)

    async def cut_off(self, random: Random) -> Struck:
        """Part the member that most talk to from its hosts, in both directions or in one. The members still hear one
        another."""
        link = max((seat.link for seat in self._seats), key=lambda link: link.connections)
        directions = random.choice((BOTH, (Direction.REQUESTS,), (Direction.ANSWERS,)))
        link.change(Manner(held=True), directions)
        parted_at = Recorder.now()
        await asyncio.sleep(random.uniform(_SHORTEST_OUTAGE, 2 * _LONGEST_OUTAGE))
        if random.random() < 0.5:
            link.cut()
        link.change(PASSING)
        return Struck(Target.LINK, parted_at)

    async def _leader(self, *, besides: Seat | None = None) -> Seat:
        """Whoever says of itself that it leads."""
        async with asyncio.timeout(_READY_WITHIN):
            while True:
                for seat in self._seats:
                    if seat is not besides and await self._leads(seat):
                        return seat
                await asyncio.sleep(0.05)

    async def _leads(self, seat: Seat) -> bool:
        client = self.client(seat.url)
        try:
            status = await client.call(STATUS, messages.StatusRequest(), within=_STATUS_WITHIN)
        except StorageError:
            return False
        finally:
            await client.close()
        return bool(status.leader == status.header.member_id)

    async def ready(self) -> None:
        """Return when the members have found each other and a leader."""
        await answered(self.client())


async def answered(client: EtcdClient) -> None:
    """Return when etcd answers a client, which is closed then."""
    try:
        async with asyncio.timeout(_READY_WITHIN):
            while True:
                try:
                    await client.call(RANGE, messages.RangeRequest(key=b"/", count_only=True))
                except StorageError:
                    await asyncio.sleep(0.05)
                else:
                    return
    finally:
        await client.close()


@asynccontextmanager
async def running_cluster(directory: Path, certificates: Certificates | None = None) -> AsyncIterator[Cluster]:
    binary = str(find_etcd().path)
    scheme = "https" if certificates else "http"
    ports = free_ports(6)
    clients = [f"{scheme}://127.0.0.1:{port}" for port in ports[:3]]
    peers = [f"{scheme}://127.0.0.1:{port}" for port in ports[3:]]
    everybody = ",".join(f"member-{number}={peer}" for number, peer in enumerate(peers))
    members = []
    for number, (client, peer) in enumerate(zip(clients, peers, strict=True)):
        flags = {
            "name": f"member-{number}",
            "data-dir": str(directory / f"member-{number}"),
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": everybody,
            "initial-cluster-token": directory.name,
            "heartbeat-interval": "50",
            "election-timeout": "500",
            "log-level": "warn",
            **_tls_flags(certificates),
        }
        arguments = [binary, *(f"--{name}={value}" for name, value in flags.items())]
        members.append(Member(arguments, directory / f"member-{number}.log"))
    async with AsyncExitStack() as stack:
        links = [await stack.enter_async_context(Link("127.0.0.1", port)) for port in ports[:3]]
        cluster = Cluster([*map(Seat, members, clients, links)], certificates)
        for member in members:
            stack.push_async_callback(member.kill)
            await member.start()
        await cluster.ready()
        yield cluster


def _tls_flags(certificates: Certificates | None) -> dict[str, str]:
    """Mutual TLS between clients and members and among the members."""
    if certificates is None:
        return {}
    files = {
        "cert-file": str(certificates.server),
        "key-file": str(certificates.server_key),
        "trusted-ca-file": str(certificates.authority),
        "client-cert-auth": "true",
    }
    return files | {f"peer-{name}": value for name, value in files.items()}


def free_ports(wanted: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(wanted)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
