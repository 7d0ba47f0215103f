"""Claims that no Service stands behind, and Services whose claims are gone: put right where several servers use one
store.

In two phases: what seems wrong is noted, and put right only if it was so all the time for `GRACE`. A claim that was
given back and taken again meanwhile is another one: an address's object has another uid then, and each change of the
range of ports is followed. Every server does it; whoever is first does it for all. Kubernetes:
pkg/registry/core/service/{ipallocator,portallocator}/controller.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Final

from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.storage.errors import PreconditionFailed, StorageError
from localplane.apiserver.storage.interface import EventType, Storage, WatchOptions

from .bands import port_band
from .ip_objects import IPObjects
from .pools import Held, held_by_services
from .port_range import KEY, PREFIX, PortRange
from .shared_pools import GRACE

_log = logging.getLogger(__name__)

_ROUND: Final = timedelta(seconds=30)
_PAUSE_SECONDS: Final = 1.0
_ATTEMPTS: Final = 5


class ServiceRepair:
    """`clock` is monotonic, in seconds; claims in flight are other machines', so it is the machine's own."""

    def __init__(
        self, objects: Lookup, ranges: Storage, node_ports: range, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._objects = objects
        self._ranges = ranges
        self._band = port_band(node_ports)
        self._clock = clock
        self._orphans: dict[tuple[str, str], float] = {}
        self._missing: set[str] = set()
        self._unmarked: set[int] = set()
        # Since when each port is taken, as far as this server has seen, and up to which version that is known.
        self._since: dict[int, float] = {}
        self._version = ""

    async def run(self) -> None:
        """Until it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._follow())
            tasks.create_task(self._rounds())

    async def _rounds(self) -> None:
        while True:
            await asyncio.sleep(_ROUND.total_seconds())
            try:
                await self.look()
            except StorageError as error:
                _log.info("what services hold is looked at later: %s", error)

    async def look(self) -> None:
        """Once: note what seems wrong, and put right what seemed so before. Raises StorageError."""
        await self._look_at_addresses()
        await self._look_at_ports()

    async def _look_at_addresses(self) -> None:
        """The objects are listed first: whose Service is not there later had time to be written."""
        objects = IPObjects(self._objects.definition("networking.k8s.io/ipaddresses"))
        claims = await objects.claims()
        held, now = await self._held(), self._clock()
        if held.is_complete:  # the address of a Service that can't be read is not free
            orphans = {claim for claim in claims.ours if claim[0] not in held.owners}
            self._orphans = {claim: self._orphans.get(claim, now) for claim in orphans}
            for (ip, uid), since in list(self._orphans.items()):
                if now - since >= GRACE.total_seconds() and await objects.delete_claim(ip, uid):
                    _log.warning("the address %s was taken for a service that is not there: it is free again", ip)
        missing = held.owners.keys() - claims.ips
        for ip in missing & self._missing:
            if await objects.create(ip, held.owners[ip]):
                _log.warning("the address %s of a service had no IPAddress: it has one again", ip)
        self._missing = set(missing)

    async def _look_at_ports(self) -> None:
        port_range = self._port_range()
        for _ in range(_ATTEMPTS):
            version, now = self._version, self._clock()
            old = {port for port, since in self._since.items() if now - since >= GRACE.total_seconds()}
            held = await self._held()
            leaked = old - held.ports if held.is_complete else set()
            if not leaked or not version:
                break
            with suppress(PreconditionFailed):
                await port_range.release_at(version, leaked)
                _log.warning("node ports were taken for services that are not there: %s are free", sorted(leaked))
                break
            await asyncio.sleep(0)
        unmarked = {port for port in held.ports - await port_range.taken() if port in self._band}
        for port in unmarked & self._unmarked:
            if await port_range.take(port):
                _log.warning("the node port %d of a service was not marked as taken: it is now", port)
        self._unmarked = unmarked

    async def _held(self) -> Held:
        return await held_by_services(self._objects.definition("services"))

    async def _stored_ports(self) -> set[int]:
        return (await self._held()).ports

    def _port_range(self) -> PortRange:
        return PortRange(self._ranges, self._band, self._stored_ports)

    async def _follow(self) -> None:
        while True:
            with suppress(StorageError):
                await self._watch()
            self._since, self._version = {}, ""
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _watch(self) -> None:
        """Until the watch ends: what happened then is not known, so all is as if it had begun anew."""
        port_range = self._port_range()
        watch = await self._ranges.watch(PREFIX, WatchOptions(only_readable=True))
        try:
            while events := await watch.take():
                for event in events:
                    if event.type is EventType.ERROR:
                        return
                    if event.object is None or not event.object.key.endswith(KEY):
                        continue
                    is_gone = event.type is EventType.DELETED
                    ports = frozenset() if is_gone else port_range.read(event.object.decode())
                    now = self._clock()
                    self._since = {port: self._since.get(port, now) for port in ports}
                    self._version = "" if is_gone else str(event.revision)
        finally:
            await watch.stop()
