"""What lives in a cluster: controllers, the scheduler and simulated nodes.

All of it is imported when it is needed, beside the loop: the server is ready by then, and nobody waits for it. A
controller is needed when there is the first object of its kind; to wait for that costs one watch in the cache that
stays silent: nothing is listed or copied.

Where other servers may use the same store, each of the three is led by one of them (`client/leader_election`): whoever
holds its lease acts, and the others wait for it. A server that is alone holds no election and writes no lease.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from localplane.apimachinery.clock.waiting import AtWork
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import WatchOptions
from localplane.catalog.kubelets import Kubelet, KubeletConnections
from localplane.client import GroupVersionResource
from localplane.client.workqueue.rate_limiters import Backoff, BackoffPolicy
from localplane.client.workqueue.supervision import keep_running
from localplane.servers.kube.tokens import ServiceAccountTokens

from .election import CONTROLLERS, NODES, SCHEDULER, elected
from .kernel import Kernel
from .options import ClusterOptions
from .server import Plane
from .slumber import slept

if TYPE_CHECKING:
    from localplane.controllers.context import CertificateAuthority, ControllerContext, Wake
    from localplane.nodes import NodeOptions

_RESTART: Final = BackoffPolicy(initial=timedelta(seconds=1), maximum=timedelta(minutes=1), jitter=0.2)
_PAUSE_SECONDS: Final = 0.5

Act: TypeAlias = "Callable[[ControllerContext], Coroutine[Any, Any, None]]"
"""What one of a cluster's servers does, until it is cancelled."""


class Life:
    """`signing` is who signs the tokens of service accounts, and `kubelets` are told of the nodes that answer.
    `registered` are, when the server is ready, the nodes that were made for this start. In a branch everybody sleeps
    until there is something to do."""

    def __init__(
        self,
        options: ClusterOptions,
        signing: ServiceAccountTokens,
        kubelets: KubeletConnections,
        *,
        registered: Sequence[JSONObject] = (),
        is_branch: bool = False,
    ) -> None:
        self._options = options
        self._is_branch = is_branch
        self._signing = signing
        self._kubelets = kubelets
        self._registered = registered

    async def run(self, plane: Plane) -> None:
        if self._is_branch:
            await slept(plane.kernel, self._options)
        with AtWork("the start of controllers"):
            await asyncio.to_thread(import_module, "localplane.controllers")
        from localplane.controllers.context import ControllerContext

        kernel = plane.kernel
        context = ControllerContext(
            kernel.observer,
            kernel.informers,
            strict=kernel.client,
            creates_are_over=kernel.admission.entrances.closed,
            awakened=partial(awakened, kernel),
            root_ca=text_of(plane.authority),
            authority=_signing_authority(plane),
            sign_token=self._signing.sign,
        )
        schedule = partial(self._schedule, kernel)
        if kernel.storage.backend.exclusive or not self._options.leader_election.enabled:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._control(context))
                if self._options.simulated_nodes:
                    tasks.create_task(schedule(context))
                    tasks.create_task(self._simulate(context))
        else:
            await self._stand(context, schedule)

    async def _stand(self, context: ControllerContext, schedule: Act) -> None:
        """Each of the three for a lease of its own: different servers may hold them, so each tells its own events."""
        from localplane.client.leader_election import candidate_name
        from localplane.controllers.events import EventLog

        identity = candidate_name()

        async def telling(act: Act) -> None:
            own = replace(context, events=EventLog())
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(own.events.run())
                tasks.create_task(act(own))

        async def stand(name: str, act: Callable[[], Awaitable[None]]) -> None:
            client = context.client.acting_as(
                f"system:{name}", groups=("system:masters", "system:authenticated"), agent=f"{name}/leader-election"
            )
            await elected(client, name, identity, self._options.leader_election, act)

        async with asyncio.TaskGroup() as tasks:
            if tuple(self._options.controllers) != ("none",):
                control = partial(self._control, context)
                tasks.create_task(stand(CONTROLLERS, control))
            if self._options.simulated_nodes:
                self._kubelets.add(await self._stand_in())
                tasks.create_task(stand(SCHEDULER, partial(telling, schedule)))
                tasks.create_task(stand(NODES, partial(telling, self._simulate)))

    async def _stand_in(self) -> Kubelet:
        """Tells logs out of the pods' status while another server simulates the nodes."""
        late_start = await asyncio.to_thread(import_module, "localplane.nodes.late_start")
        logs: Kubelet = late_start.LateLogs()
        return logs

    async def _control(self, context: ControllerContext) -> None:
        from localplane.controllers import run, select

        await run(select(self._options.controllers), context)

    async def _schedule(self, kernel: Kernel[Any], context: ControllerContext) -> None:
        await kept_running("the scheduler", partial(self._schedule_once, kernel, context))

    async def _schedule_once(self, kernel: Kernel[Any], context: ControllerContext) -> None:
        from localplane.controllers.context import Wake

        await awakened(kernel, Wake(GroupVersionResource("", "v1", "pods")))
        with AtWork("the start of the scheduler"):
            scheduler = await asyncio.to_thread(import_module, "localplane.scheduler")
        await scheduler.start(context, seed=self._options.seed)

    async def _simulate(self, context: ControllerContext) -> None:
        await kept_running("the simulation of nodes", partial(self._simulate_once, context))

    async def _simulate_once(self, context: ControllerContext) -> None:
        with AtWork("the start of nodes"):
            simulation = await asyncio.to_thread(import_module, "localplane.nodes.simulation")
        options = replace(node_options(self._options), connections=self._kubelets)
        registered, self._registered = self._registered, ()
        await simulation.start(context, options, registered=tuple(registered))


def node_options(options: ClusterOptions) -> NodeOptions:
    """What nodes are to be. They are imported by whoever asks."""
    from localplane.nodes import NodeOptions

    return NodeOptions(count=options.simulated_nodes, seed=options.seed or 0)


async def kept_running(name: str, start: Callable[[], Awaitable[None]]) -> None:
    await keep_running(name, start, Backoff(_RESTART))


async def awakened(kernel: Kernel[Any], wake: Wake) -> None:
    """Until there is an object that wakes somebody."""
    resource = wake.resource
    name = f"{resource.group}/{resource.resource}" if resource.group else resource.resource
    prefix = kernel.objects.definition(name).prefix
    seen = False
    while not seen:
        seen = await _seen(kernel, prefix, wake.ignoring)
        if not seen:  # nothing tells when the store is back
            await asyncio.sleep(_PAUSE_SECONDS)


async def _seen(kernel: Kernel[Any], prefix: str, ignoring: frozenset[str]) -> bool:
    """False if the watch ended before: the store was away, or the cache is filled anew."""
    storage = kernel.storage.cacher.resource(prefix)
    with suppress(StorageError):
        watch = await storage.watch(prefix, WatchOptions(only_readable=True))
        try:
            async for event in watch:
                if event.object is not None and event.object.key.rpartition(prefix)[2] not in ignoring:
                    return True
        finally:
            await watch.stop()
    return False


def text_of(path: Path | None) -> str:
    """Of a certificate, if there is one."""
    return path.read_text(encoding="utf-8", errors="replace") if path else ""


def _signing_authority(plane: Plane) -> CertificateAuthority | None:
    """Our own authority. Somebody else's key is not ours to use."""
    from localplane.controllers.context import CertificateAuthority

    if plane.signer is None:
        return None
    return CertificateAuthority(plane.signer.authority, plane.signer.authority_key)
