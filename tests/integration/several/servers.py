"""Whole servers in this process that share one prefix of one etcd."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from localplane.apiserver.server.options import ServerOptions
from localplane.client import ResourceClient
from localplane.compose.cluster import SIGNING_KEY
from localplane.compose.control_plane import open_cluster_at
from localplane.compose.credentials import ServerCredentials
from localplane.compose.election import LeaderElectionOptions
from localplane.compose.home import open_home
from localplane.compose.options import ClusterOptions, StorageOptions
from localplane.compose.server import Plane
from localplane.servers.aggregator.front_proxy import ensure_front_proxy
from tests.integration.life.world import resource

QUICK = LeaderElectionOptions(
    lease_duration=timedelta(seconds=3), renew_deadline=timedelta(seconds=2), retry_period=timedelta(milliseconds=500)
)


@dataclass(frozen=True, slots=True)
class Shared:
    """An etcd, a prefix of it, and the keys that all servers there have. Each server gets a directory below
    `directory`."""

    etcd: str
    directory: Path
    prefix: str = field(default_factory=lambda: f"/{os.urandom(4).hex()}")

    def make_keys(self) -> None:
        from localplane.apiserver.server.certificates.signing_key import new_signing_key
        from localplane.servers.kube.tokens import ServiceAccountTokens

        keys = self.directory / "keys" / "pki"
        ServerCredentials.in_directory(keys, ServerOptions(port=0), administrator=True)
        ensure_front_proxy(keys)
        asyncio.run(ServiceAccountTokens.open(keys / SIGNING_KEY, spare=new_signing_key()))

    def options(self, **changes: Any) -> ClusterOptions:
        options = ClusterOptions(
            storage=StorageOptions(etcd_servers=(self.etcd,), etcd_prefix=self.prefix),
            server=ServerOptions(port=0),
            nodes=0,
            leader_election=QUICK,
        )
        return replace(options, **changes)

    @asynccontextmanager
    async def server(self, **changes: Any) -> AsyncIterator[Plane]:
        options = self.options(**changes)
        directory = self.directory / os.urandom(4).hex()
        shutil.copytree(self.directory / "keys", directory)
        async with (
            open_home(options.storage) as home,
            open_cluster_at(
                replace(home, directory=directory, keys=directory / "pki"), options, spare_key=None
            ) as plane,
        ):
            yield plane

    @asynccontextmanager
    async def servers(self, count: int, **changes: Any) -> AsyncIterator[list[Plane]]:
        """So many that start at the same time."""
        over = asyncio.Event()
        ready: list[asyncio.Future[Plane]] = [asyncio.get_running_loop().create_future() for _ in range(count)]

        async def serve(opened: asyncio.Future[Plane]) -> None:
            async with self.server(**changes) as plane:
                opened.set_result(plane)
                await over.wait()

        async with asyncio.TaskGroup() as tasks:
            for future in ready:
                tasks.create_task(serve(future))
            try:
                yield list(await asyncio.gather(*ready))
            finally:
                over.set()


async def eventually(ask: Callable[[], Any], *, within: float = 60.0) -> Any:
    """What is said once it is something."""
    async with asyncio.timeout(within):
        while True:
            if answer := await ask():
                return answer
            await asyncio.sleep(0.02)


def of(plane: Plane, plural: str, namespace: str = "default") -> ResourceClient:
    """`apps/v1/deployments`, `v1/pods`."""
    return plane.client.resource(resource(plural), namespace)
