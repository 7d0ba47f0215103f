"""Telling the server where a pod shall be, after its volumes are there and its devices reserved.

Kubernetes: pkg/scheduler/schedule_one.go, bindingCycle; plugins/defaultbinder.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.clock.waiting import AtWork
from localplane.apimachinery.errors import APIError
from localplane.client import Client, ClientError

from .attempt import Placement
from .diagnosis import SchedulerError
from .events import SchedulerEvents
from .plugins.devices import DeviceReservation, Devices
from .plugins.volumes import VolumeViews
from .plugins.volumes.reservations import Reservation
from .pod_status import PodStatuses
from .sources import PODS
from .state.pod_info import PodInfo

_log = logging.getLogger(__name__)
_AT_ONCE: Final = 32


@dataclass(frozen=True, slots=True)
class Assumption:
    """A pod that counts as placed. `volumes` and `devices` are None if nothing has to be done about them."""

    pod: PodInfo
    node_name: str
    volumes: Reservation | None
    devices: DeviceReservation | None


class Binding:
    def __init__(
        self, client: Client, views: VolumeViews, devices: Devices, statuses: PodStatuses, events: SchedulerEvents
    ) -> None:
        self._client = client
        self._views = views
        self._devices = devices
        self._statuses = statuses
        self._events = events
        self._slots = asyncio.Semaphore(_AT_ONCE)

    def reserve(self, pod: PodInfo, placement: Placement) -> Assumption:
        """What the pod needs beside its node is nobody else's from now on."""
        check = placement.cycle.volumes
        found = check.found.get(placement.node_name) if check is not None else None
        volumes = Reservation(self._views, placement.node_name, found) if found is not None else None
        claimed = placement.cycle.devices
        devices = DeviceReservation(self._devices, placement.node_name, claimed) if claimed is not None else None
        needed = volumes if volumes is not None and volumes.is_needed else None
        return Assumption(pod, placement.node_name, needed, devices)

    def revert(self, assumption: Assumption) -> None:
        if assumption.volumes is not None:
            assumption.volumes.revert()
        if assumption.devices is not None:
            assumption.devices.revert()

    async def carry_out(self, assumption: Assumption) -> None:
        """Raises SchedulerError."""
        pod, node_name = assumption.pod, assumption.node_name
        if assumption.volumes is not None or assumption.devices is not None:
            await self._announce(pod, node_name)
        if assumption.volumes is not None:
            await assumption.volumes.carry_out(self._client, pod)
        if assumption.devices is not None:
            await assumption.devices.carry_out(self._client, pod)
        async with self._slots:
            with AtWork(pod.key):  # but not while volumes are waited for, which may never come
                await self._bind(pod, node_name)
        note = f"Successfully assigned {pod.key} to {node_name}"
        self._events.normal("Scheduled", "Binding", pod.pod, note)

    async def _announce(self, pod: PodInfo, node_name: str) -> None:
        """It may take a while; until then others can see where it will be."""
        try:
            await self._statuses.nominate(pod, node_name)
        except (APIError, ClientError) as error:
            _log.info("nobody is told that %s will be on %s: %s", pod.key, node_name, error)

    async def _bind(self, pod: PodInfo, node_name: str) -> None:
        body: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"namespace": pod.namespace, "name": pod.name, "uid": pod.uid},
            "target": {"kind": "Node", "name": node_name},
        }
        try:
            await self._client.resource(PODS, pod.namespace).create(body, name=pod.name, subresource="binding")
        except (APIError, ClientError) as error:
            raise SchedulerError(f'running Bind plugin "DefaultBinder": {error}') from error
