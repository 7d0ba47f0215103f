"""cluster(): one that is open as long as a block, whichever kind of block it is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType

from localplane.apimachinery.clock.virtual import VirtualClock
from localplane.apiserver.server.options import ServerOptions
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.temporary import temporary_directory

from .blocking import Cluster, LoopThread
from .clusters import AsyncCluster
from .manifests import Manifests


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a cluster is to be; see `cluster`."""

    controllers: tuple[str, ...] = ("*",)
    nodes: int | None = None
    seed: int | None = None
    storage: StorageKind = StorageKind.MEMORY
    enabled_admission_plugins: tuple[str, ...] = ()
    disabled_admission_plugins: tuple[str, ...] = ()
    crds: tuple[Manifests, ...] = ()
    manifests: tuple[Manifests, ...] = ()
    users: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[AsyncCluster]:
        """Ready, in the running event loop."""
        with ExitStack() as stack:
            data_dir = None
            if self.storage is not StorageKind.MEMORY:
                data_dir = stack.enter_context(temporary_directory())
            options = ClusterOptions(
                name="localplane",
                server=ServerOptions(port=0),
                storage=StorageOptions(kind=self.storage, data_dir=data_dir),
                controllers=self.controllers,
                nodes=self.nodes,
                seed=self.seed,
                enabled_admission_plugins=self.enabled_admission_plugins,
                disabled_admission_plugins=self.disabled_admission_plugins,
            )
            async with (
                open_cluster(options, clock=VirtualClock()) as plane,
                AsyncCluster.around(plane, dict(self.users)) as cluster,
            ):
                for manifests in (*self.crds, *self.manifests):
                    await cluster.apply(manifests)
                yield cluster


class ClusterBlock:
    """`with` gives a Cluster that runs in a thread of its own, `async with` an AsyncCluster in this event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stack = ExitStack()
        self._async_stack = AsyncExitStack()

    def __enter__(self) -> Cluster:
        with ExitStack() as stack:
            thread = stack.enter_context(LoopThread())
            cluster = stack.enter_context(thread.holding(self._settings.opened()))
            self._stack = stack.pop_all()
        return Cluster(thread, cluster)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    async def __aenter__(self) -> AsyncCluster:
        return await self._async_stack.enter_async_context(self._settings.opened())

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._async_stack.__aexit__(kind, error, trace)


def cluster(
    *,
    controllers: Sequence[str] = ("*",),
    nodes: int | None = None,
    seed: int | None = None,
    storage: StorageKind | str = StorageKind.MEMORY,
    enabled_admission_plugins: Sequence[str] = (),
    disabled_admission_plugins: Sequence[str] = (),
    crds: Sequence[Manifests] = (),
    manifests: Sequence[Manifests] = (),
    users: Mapping[str, Sequence[str]] | None = None,
) -> ClusterBlock:
    """Ready when the block is entered, with all that a fresh cluster has; stopped when it is left, and its data gone.

    The first options mean what the flags of `kctl up` do. Without `nodes` there is one, unless `controllers` is
    `("none",)`; with 0 nobody schedules or runs pods, and the test may play scheduler and kubelet. With a `seed` the
    simulated nodes and the scheduler choose the same each time. SQLite and etcd keep their data in a temporary
    directory. `crds`, and then `manifests`, are files, folders, texts or objects that are there from the beginning;
    `users` are names with their groups, for `cluster.users`. The block raises InvalidOptions for controllers and
    plugins that do not exist, BadManifest for files that are none, and APIError for what the cluster refuses.
    """
    return ClusterBlock(
        Settings(
            controllers=tuple(controllers),
            nodes=nodes,
            seed=seed,
            storage=storage_kind(storage),
            enabled_admission_plugins=tuple(enabled_admission_plugins),
            disabled_admission_plugins=tuple(disabled_admission_plugins),
            crds=tuple(crds),
            manifests=tuple(manifests),
            users=tuple((name, tuple(groups)) for name, groups in (users or {}).items()),
        )
    )


def storage_kind(text: str) -> StorageKind:
    """Raises ValueError for one that there isn't."""
    try:
        return StorageKind(text)
    except ValueError:
        raise ValueError(f'there is no storage "{text}": it is one of {", ".join(StorageKind)}') from None
