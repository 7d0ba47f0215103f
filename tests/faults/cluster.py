"""A real etcd cluster of three members on the loopback interface, with or without mutual TLS."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path
from random import Random

from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.etcd.binary import find_etcd
from localplane.apiserver.storage.etcd.client import EtcdClient, messages
from localplane.apiserver.storage.etcd.client.methods import RANGE
from localplane.apiserver.storage.etcd.parent_death import Lifeline, ParentDeath

from .certificates import Certificates
from .nemesis import Struck, Target
from .recorder import Recorder

_READY_WITHIN = 20.0
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

    async def kill(self) -> None:
        assert self._process is not None
        assert self._lifeline is not None
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        self._lifeline.cut()


class Cluster:
    def __init__(self, members: list[Member], servers: list[str], certificates: Certificates | None) -> None:
        self.servers = servers
        self.certificates = certificates
        self._victims = cycle(members)

    def client(self) -> EtcdClient:
        return EtcdClient(self.servers, tls=self.certificates.for_clients if self.certificates else None)

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
        member = next(self._victims)
        await member.kill()
        dead_at = Recorder.now()
        await asyncio.sleep(random.uniform(_SHORTEST_OUTAGE, _LONGEST_OUTAGE))
        await member.start()
        return Struck(Target.MEMBER, dead_at)

    async def ready(self) -> None:
        """Return when the members have found each other and a leader."""
        client = self.client()
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
    ports = _free_ports(6)
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
    cluster = Cluster(members, clients, certificates)
    for member in members:
        await member.start()
    try:
        await cluster.ready()
        yield cluster
    finally:
        for member in members:
            await member.kill()


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


def _free_ports(wanted: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(wanted)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
