"""A whole cluster in one block, for tests of whatever talks to Kubernetes.

    import asyncio

    from localplane import testing


    async def main() -> None:
        async with testing.cluster(nodes=1) as cluster:
            deployments = cluster.resource("apps/v1", "deployments", "default")
            container = {"name": "web", "image": "nginx"}
            await deployments.create({
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "metadata": {"name": "web"},
                "spec": {
                    "selector": {"matchLabels": {"app": "web"}},
                    "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
                },
            })
            async with deployments.watch() as events:
                async for event in events:
                    if event.object.get("status", {}).get("availableReplicas"):
                        break


    asyncio.run(main())

It is what `kctl up` runs, in this process: the same kinds, admission, controllers, scheduler and simulated nodes, and a
server that others reach over HTTPS with its kubeconfig. It begins empty, listens on a free port of this machine,
touches nobody's files and leaves nothing behind. Several may run at once, or one after the other, in one process.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from localplane.apiserver.server.options import ServerOptions
from localplane.client import Client, GroupVersionResource, ResourceClient
from localplane.client.kubeconfig import load, resolve
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane

__all__ = ["Client", "Cluster", "StorageKind", "cluster"]


@dataclass(frozen=True, slots=True)
class Cluster:
    """One that runs. `plane` has all of its parts, for those who must look inside."""

    plane: Plane

    @property
    def url(self) -> str:
        return self.plane.url

    @property
    def kubeconfig(self) -> Path:
        """A file for kubectl and other clients: an administrator, with a certificate and a token. It goes when the
        cluster does."""
        return self.plane.kubeconfig

    @property
    def client(self) -> Client:
        """Speaks to it without a socket, as the server itself: it may do everything, and nothing limits it."""
        return self.plane.client

    def connect(self) -> Client:
        """A client over HTTPS, as the administrator of the kubeconfig: `async with cluster.connect() as client`."""
        return Client.connect(resolve(load(self.kubeconfig)))

    def resource(self, api_version: str, plural: str, namespace: str = "") -> ResourceClient:
        """The objects of a kind, through `client`: `resource("v1", "pods", "default")`."""
        group, _, version = api_version.rpartition("/")
        return self.client.resource(GroupVersionResource(group, version, plural), namespace)


@asynccontextmanager
async def cluster(
    *,
    controllers: Sequence[str] = ("*",),
    nodes: int | None = None,
    seed: int | None = None,
    storage: StorageKind = StorageKind.MEMORY,
    enabled_admission_plugins: Sequence[str] = (),
    disabled_admission_plugins: Sequence[str] = (),
) -> AsyncIterator[Cluster]:
    """Ready when the block is entered, with all that a fresh cluster has; stopped when it is left, and its data gone.

    The options mean what the flags of `kctl up` do. Without `nodes` there is one, unless `controllers` is `("none",)`;
    with 0 nobody schedules or runs pods, and the test may play scheduler and kubelet. With a `seed` the simulated nodes
    and the scheduler choose the same each time. SQLite and etcd keep their data in a temporary directory. Raises
    InvalidOptions for controllers and plugins that do not exist.
    """
    with ExitStack() as stack:
        data_dir = None
        if storage is not StorageKind.MEMORY:
            data_dir = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="localplane-")))
        options = ClusterOptions(
            name="localplane",
            server=ServerOptions(port=0),
            storage=StorageOptions(kind=storage, data_dir=data_dir),
            controllers=controllers,
            nodes=nodes,
            seed=seed,
            enabled_admission_plugins=enabled_admission_plugins,
            disabled_admission_plugins=disabled_admission_plugins,
        )
        async with open_cluster(options) as plane:
            yield Cluster(plane)
