"""Which quota is recounted, and when. Kubernetes: resource_quota_controller.go."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import Quantity
from localplane.apis.amounts import read, written
from localplane.catalog.quota import Amounts, Evaluator, evaluators_of
from localplane.client import (
    METADATA_LIST,
    Client,
    GroupVersionResource,
    HandlerFunctions,
    Lister,
    ListOptions,
    RESTMapper,
    WorkQueue,
    object_key,
    split_key,
)
from localplane.client.errors import AmbiguousMatch, NoMatch
from localplane.client.rest.paging import list_all
from localplane.client.rest.resources import JSON
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import work

from .monitors import QuotaMonitors

_QUOTAS: Final = GroupVersionResource("", "v1", "resourcequotas")
_NAME: Final = "resourcequota-controller"
_RESYNC: Final = timedelta(minutes=5)
_GATHERING: Final = timedelta(milliseconds=50)
"""Objects come and go in crowds."""
_PAGE: Final = 500


async def start(context: ControllerContext) -> None:
    client = context.client_of(_NAME)
    quotas = context.informers.informer(_QUOTAS)
    await quotas.wait_for_sync()
    async with asyncio.TaskGroup() as tasks:
        controller = QuotaController(client, quotas.lister, tasks)
        listener = quotas.add_handler(
            HandlerFunctions(add=controller.hear_quota, update=controller.hear_change), resync=_RESYNC
        )
        try:
            await work(controller.queue, controller.sync)
        finally:
            listener.remove()


class QuotaController:
    def __init__(self, client: Client, quotas: Lister, tasks: asyncio.TaskGroup) -> None:
        self.queue = WorkQueue[str]()
        self._client = client
        self._quotas = quotas
        self._monitors = QuotaMonitors(tasks, client, self.hear_object)

    def hear_quota(self, quota: JSONObject) -> None:
        self.queue.add(object_key(quota))

    def hear_change(self, old: JSONObject, new: JSONObject) -> None:
        """Of the limits. Changes of the status are ours or the admission's; a resync shows twice the same."""
        if old is new or _hard(old) != _hard(new):
            self.queue.add(object_key(new))

    def hear_object(self, resource: GroupResource, namespace: str) -> None:
        for quota in self._quotas.namespaced(namespace).list() if namespace else ():
            if any(evaluator.resource == resource for evaluator in evaluators_of(_hard(quota))):
                self.queue.add_after(object_key(quota), _GATHERING)

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        quota = self._quotas.namespaced(namespace).get(name)
        if quota is None:
            return
        status = quota.get("status") or {}
        used = read(status.get("used")) | await self._usage(quota)
        used = {name: amount for name, amount in used.items() if name in _hard(quota)}
        hard = read(_hard(quota))
        if status.get("used") is not None and _same(status, "hard", hard) and _same(status, "used", used):
            return
        told = quota | {"status": {"hard": written(hard), "used": written(used)}}
        try:
            await self._client.resource(_QUOTAS, namespace).update(told, subresource="status")
        except NotFound:
            return

    async def _usage(self, quota: JSONObject) -> Amounts:
        """Of what can be measured; the rest stays as it was."""
        used: Amounts = {}
        evaluators = evaluators_of(_hard(quota))
        places = await self._places(evaluators)
        for evaluator in evaluators:
            if (resource := places.get(evaluator.resource)) is None:
                continue
            self._monitors.watch(resource)
            used |= evaluator.total(quota, await self._objects(resource, quota["metadata"]["namespace"]))
        return used

    async def _objects(self, resource: GroupVersionResource, namespace: str) -> list[JSONObject]:
        objects = self._client.resource(resource, namespace)
        is_measured = resource.group == "" and resource.resource in ("pods", "services", "persistentvolumeclaims")
        accept = JSON if is_measured else METADATA_LIST
        return (await list_all(lambda options: objects.list(options, accept=accept), ListOptions(limit=_PAGE))).items

    async def _places(self, evaluators: Iterable[Evaluator]) -> Mapping[GroupResource, GroupVersionResource]:
        """Where the kinds are; those that the server does not have are left out."""
        mapper = RESTMapper(await self._client.discovery().discover())
        places = {}
        for resource in {evaluator.resource for evaluator in evaluators}:
            try:
                found = mapper.resource_for(GroupVersionResource(resource.group, "", resource.resource))
            except (NoMatch, AmbiguousMatch):
                continue
            if found.group_resource == resource:
                places[resource] = found
        return places


def _hard(quota: Mapping[str, Any]) -> Mapping[str, Any]:
    hard: Mapping[str, Any] = (quota.get("spec") or {}).get("hard") or {}
    return hard


def _same(status: Mapping[str, Any], which: str, wanted: Mapping[str, Quantity]) -> bool:
    return read(status.get(which)) == wanted
