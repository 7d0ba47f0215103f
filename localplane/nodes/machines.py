"""The simulated nodes there are: they are made, kept alive, and have a machine each. Nothing here knows of pods, so
that a cluster without any pays for nothing else; the kubelet comes later, and is told from then on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import WorkQueue
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.worker import hearing, work

from . import registration
from .heartbeat import Heartbeat
from .options import NodeOptions
from .registration import NODES

_WORKERS: Final = 2


@dataclass(slots=True)
class Machine:
    """What a simulated node has that its Node does not tell."""

    images: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    deferred: set[str] = field(default_factory=set)
    """The pods whose resize waits for room."""
    is_moving: bool = False
    granting: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while somebody is granted more, so that nobody else is granted the same."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What became of a Node when somebody else could have looked after its status: whether they do, and how long until
    they look again."""

    is_driven: bool
    pause: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Tenant:
    """Who lives on the machines: `drive` may look after a Node's status, and `moved` hears that the pods of a node may
    move from now on."""

    drive: Callable[[JSONObject], Awaitable[Turn]]
    moved: Callable[[str], None]


class Machines:
    def __init__(self, context: ControllerContext, options: NodeOptions) -> None:
        self._context = context
        self._options = options
        self.client = registration.kubelet_client(context.client)
        self._nodes = context.informers.informer(NODES)
        self._queue: WorkQueue[str] = WorkQueue()
        self._machines: dict[str, Machine] = {}
        self._recorders: dict[str, EventRecorder] = {}
        self._heartbeat = Heartbeat(self.client, self._nodes.lister, options, lambda name: self.machine(name).images)
        self._tenant: Tenant | None = None

    async def run(self, registered: Sequence[JSONObject] = ()) -> None:
        """Until it is cancelled. What is missing of the nodes that were asked for is made; nobody has told yet that
        those in `registered` were."""
        await self._nodes.wait_for_sync()
        for node in (*registered, *await registration.register(self._context.client, self._options)):
            self._tell_of_start(node)
        with hearing(self._nodes, self._hear):
            await work(self._queue, self._sync, workers=_WORKERS)

    def let(self, tenant: Tenant) -> None:
        """From now on, somebody lives there."""
        self._tenant = tenant
        self.look_at_all()

    def __contains__(self, name: object) -> bool:
        return name in self._machines

    def node(self, name: str) -> JSONObject | None:
        """What the API says of it, whether it is simulated or not."""
        return self._nodes.lister.get(name) if name else None

    def machine(self, name: str) -> Machine:
        machine = self._machines.get(name)
        if machine is None:
            machine = self._machines[name] = Machine()
            for image in ((self.node(name) or {}).get("status") or {}).get("images") or ():
                machine.images.update(image.get("names") or ())
        return machine

    def names(self) -> list[str]:
        return list(self._machines)

    def look_at_all(self) -> None:
        for name in self._machines:
            self._queue.add(name)

    def recorder(self, node: str) -> EventRecorder:
        if node not in self._recorders:
            self._recorders[node] = self._context.events.recorder(self.client, "kubelet", host=node)
        return self._recorders[node]

    def addresses(self, name: str) -> list[str]:
        """Those that the node has or, while it has none, the one that it will get."""
        known = registration.host_ips(self.node(name) or {})
        return list(known) or [registration.address_of(name, self._heartbeat.addresses())]

    def _tell_of_start(self, node: JSONObject) -> None:
        name = node["metadata"]["name"]
        recorder = self.recorder(name)
        recorder.normal(node, "Starting", "Starting kubelet.")
        recorder.normal(node, "NodeReady", f"Node {name} status is now: NodeReady")

    def _hear(self, node: JSONObject) -> None:
        name = node["metadata"]["name"]
        if self.node(name) is None:
            self._machines.pop(name, None)
            self._recorders.pop(name, None)
            self._queue.add(name)
            return
        if not registration.is_simulated(node):
            if self._machines.pop(name, None) is not None:
                self._queue.add(name)
            return
        machine = self.machine(name)
        self._queue.add(name)
        was_moving, machine.is_moving = machine.is_moving, is_moving(node)
        if machine.is_moving and not was_moving and self._tenant is not None:
            self._tenant.moved(name)

    async def _sync(self, name: str) -> None:
        node, turn = self.node(name), Turn(is_driven=False)
        is_heard = node is not None and registration.is_simulated(node) and not registration.is_stopped(node)
        if node is not None and is_heard and self._tenant is not None:
            turn = await self._tenant.drive(node)
            if turn.pause is not None:
                self._queue.add_after(name, turn.pause)
        pause = await self._heartbeat.beat(name, with_status=not turn.is_driven)
        if pause is not None:
            self._queue.add_after(name, pause, is_upkeep=True)


def is_moving(node: Mapping[str, Any]) -> bool:
    """Whether its pods move: it is ours, nobody has stopped it, and it has an address."""
    return registration.is_simulated(node) and not registration.is_stopped(node) and bool(registration.host_ips(node))
