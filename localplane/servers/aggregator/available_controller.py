"""Keeps the Aggregator and the condition `Available` current: by events, and every half minute by asking.

Nothing but the watch on APIServices runs as long as all of them are served here: services and endpoints are watched
from the first on that is not.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.lookup import Lookup
from localplane.client import (
    Client,
    ClientError,
    GroupVersionResource,
    HandlerFunctions,
    SharedInformerFactory,
    WorkQueue,
    deleted_object,
)
from localplane.client.workqueue.rate_limiters import ItemExponentialFailureRateLimiter
from localplane.client.workqueue.supervision import Contained

from .aggregator import Aggregator
from .api_services import local_condition
from .availability import check, with_condition
from .connections import Connections
from .remote import available_condition, remote_of

_log = logging.getLogger(__name__)

_API_SERVICES: Final = GroupVersionResource("apiregistration.k8s.io", "v1", "apiservices")
_SERVICES: Final = GroupVersionResource("", "v1", "services")
_ENDPOINTS: Final = GroupVersionResource("", "v1", "endpoints")
_SLICES: Final = GroupVersionResource("discovery.k8s.io", "v1", "endpointslices")
_SERVICE_LABEL: Final = "kubernetes.io/service-name"
_MANAGER: Final = "kube-apiserver"
_FIRST_RETRY: Final = timedelta(milliseconds=5)
_AGAIN: Final = timedelta(seconds=30)
_WORKERS: Final = 5


class AvailabilityController:
    """Make it before the informers start; `run` it once the server is ready."""

    def __init__(
        self,
        aggregator: Aggregator,
        *,
        client: Client,
        informers: SharedInformerFactory,
        objects: Lookup,
        connections: Connections,
    ) -> None:
        self._aggregator = aggregator
        self._api_services = client.resource(_API_SERVICES)
        self._informers = informers
        self._objects = objects
        self._connections = connections
        self._watches_services = False
        self._queue = WorkQueue[str](rate_limiter=ItemExponentialFailureRateLimiter(_FIRST_RETRY, _AGAIN))
        self._lister = informers.lister(_API_SERVICES)
        informers.informer(_API_SERVICES).add_handler(_hearing(self._heard, self._gone))

    async def run(self) -> None:
        """Until it is cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(_WORKERS):
                    tasks.create_task(self._work())
        finally:
            await self._connections.close()

    def _heard(self, obj: JSONObject) -> None:
        """What we wrote ourselves into a status is no news."""
        known, remote = self._aggregator.heard(obj), remote_of(obj)
        if remote is None:
            if _service(obj) is None and (available_condition(obj) or {}).get("reason") != "Local":
                self._queue.add(obj["metadata"]["name"])
            return
        self._watch_services()
        if known is None or known.checked != remote.checked:
            self._queue.add(remote.name)

    def _gone(self, obj: JSONObject) -> None:
        self._aggregator.gone(obj)
        if _service(obj) is not None:
            self._queue.add(obj["metadata"]["name"])

    def _watch_services(self) -> None:
        if self._watches_services:
            return
        self._watches_services = True
        for resource in (_SERVICES, _ENDPOINTS):
            self._informers.informer(resource).add_handler(_hearing(self._heard_service))
        self._informers.informer(_SLICES).add_handler(_hearing(self._heard_slice))

    def _heard_service(self, obj: JSONObject) -> None:
        self._look_again(obj["metadata"]["namespace"], obj["metadata"]["name"])

    def _heard_slice(self, obj: JSONObject) -> None:
        service = (obj["metadata"].get("labels") or {}).get(_SERVICE_LABEL, "")
        self._look_again(obj["metadata"]["namespace"], service)

    def _look_again(self, namespace: str, service: str) -> None:
        for remote in self._aggregator.remotes():
            if (remote.namespace, remote.service) == (namespace, service):
                self._queue.add(remote.name)

    async def _work(self) -> None:
        while True:
            name = await self._queue.get()
            good = False
            try:
                with Contained(partial("looking at APIService {}".format, name), passes=(APIError, ClientError)):
                    good = await self._sync(name)
            except (APIError, ClientError) as error:
                _log.info("the condition of APIService %s is looked at again: %s", name, error)
            finally:
                self._queue.done(name)
            if good:
                self._queue.forget(name)
            else:
                self._queue.add_rate_limited(name)

    async def _sync(self, name: str) -> bool:
        """False if it is to be tried again soon."""
        obj = self._lister.get(name)
        if obj is None or _service(obj) is None:
            await self._connections.keep({remote.trust for remote in self._aggregator.remotes()})
            return obj is None or await self._make_local(obj)
        remote = remote_of(obj)
        if remote is None:
            return True
        finding = await check(remote, self._objects, self._connections)
        if finding.discovered is not None:
            self._aggregator.discovered(name, finding.discovered)
        changed = with_condition(obj, finding)
        if changed is not None:
            await self._write_status(changed)
        if finding.reason == "FailedDiscoveryCheck":
            return False
        self._queue.add_after(name, _AGAIN)
        return True

    async def _make_local(self, obj: JSONObject) -> bool:
        if (available_condition(obj) or {}).get("reason") != "Local":
            await self._write_status({**obj, "status": {"conditions": [local_condition()]}})
        return True

    async def _write_status(self, obj: JSONObject) -> None:
        try:
            await self._api_services.update(obj, subresource="status", field_manager=_MANAGER)
        except NotFound:
            return


def _service(obj: JSONObject) -> JSONObject | None:
    service: JSONObject | None = (obj.get("spec") or {}).get("service")
    return service


def _hearing(
    hear: Callable[[JSONObject], None], forget: Callable[[JSONObject], None] | None = None
) -> HandlerFunctions:
    gone = forget or hear
    return HandlerFunctions(add=hear, update=lambda _, new: hear(new), delete=lambda obj: gone(deleted_object(obj)))
