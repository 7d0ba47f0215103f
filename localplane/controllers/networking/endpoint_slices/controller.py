"""Keeps the EndpointSlices of every service that selects pods.

Kubernetes: pkg/controller/endpointslice/endpointslice_controller.go and k8s.io/endpointslice/reconciler.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.time_slices import TimeSlices
from localplane.client import (
    Client,
    GroupVersionResource,
    HandlerFunctions,
    Indexer,
    Lister,
    WorkQueue,
    object_key,
    split_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.pods import PODS, has_condition, is_terminating
from localplane.controllers.worker import NotYet, hearing, work

from .hints import SlicesOfFamily, ZoneHints, asks_for_zones, hint_closely, is_close, remove_hints
from .membership import (
    TRIGGER_TIME,
    TriggerTimes,
    families,
    is_listed,
    labels_of,
    pod_handler,
    publishes_unready,
    selected_pods,
    selects_pods,
)
from .port_order import ordered_slice_ports
from .slices import (
    ZONE,
    EndpointKey,
    PortsKey,
    SliceChanges,
    endpoint_key,
    endpoint_ports,
    new_slice,
    packed,
    pod_endpoint,
    ports_key,
    slice_labels,
)
from .tracker import SliceTracker, index_by_service, slice_handler, slices_of

SERVICES: Final = GroupVersionResource("", "v1", "services")
NODES: Final = GroupVersionResource("", "v1", "nodes")
SLICES: Final = GroupVersionResource("discovery.k8s.io", "v1", "endpointslices")
MANAGER: Final = "endpointslice-controller.k8s.io"
_ACCOUNT: Final = "endpointslice-controller"
_COMPONENT: Final = "endpoint-slice-controller"
_WORKERS: Final = 5
_LIMIT: Final = 100
_AFTER_FOREIGN_CHANGE: Final = timedelta(seconds=1)
"""Several slices that somebody changes at once are looked at once."""


async def start(context: ControllerContext) -> None:
    informers = [context.informers.informer(each) for each in (SERVICES, PODS, NODES, SLICES)]
    services, pods, nodes, slices = informers
    for informer in informers:
        await informer.wait_for_sync()
    queue = WorkQueue[str]()
    controller = SliceController(
        context.client_of(_ACCOUNT),
        context.recorder(_ACCOUNT, _COMPONENT),
        services=services.lister,
        pods=pods.lister,
        nodes=nodes.lister,
        slices=index_by_service(slices),
    )

    topology = WorkQueue[str]()

    def hear_node_change(old: JSONObject, new: JSONObject) -> None:
        if _topology(old) != _topology(new):
            topology.add("")

    async def look_at_nodes(_: str) -> None:
        """How CPUs are spread concerns only services that ask for zones."""
        for key in controller.overloaded_by_nodes():
            queue.add(key)

    with ExitStack() as listening:
        listening.enter_context(hearing(services, lambda service: queue.add(object_key(service))))
        foreign = partial(queue.add_after, delay=_AFTER_FOREIGN_CHANGE)
        for informer, handler in (
            (pods, pod_handler(services.lister, queue, controller.triggers.pause)),
            (slices, slice_handler(controller.tracker, managed_by=MANAGER, queue=foreign)),
            (
                nodes,
                HandlerFunctions(
                    add=lambda _: topology.add(""), update=hear_node_change, delete=lambda _: topology.add("")
                ),
            ),
        ):
            listening.callback(informer.add_handler(handler).remove)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(work(topology, look_at_nodes))
            tasks.create_task(work(queue, controller.sync, workers=_WORKERS))


def _topology(node: JSONObject) -> tuple[bool, str]:
    return has_condition(node, "Ready"), labels_of(node).get(ZONE, "")


@dataclass(slots=True)
class _Wanted:
    """What is to be in slices of one family, by ports; `missing` are pods on nodes that nobody knows."""

    ports: dict[PortsKey, list[JSONObject]]
    endpoints: dict[PortsKey, dict[EndpointKey, JSONObject]]
    missing: list[str]


class SliceController:
    """`limit` is how many endpoints a slice has at most."""

    def __init__(
        self,
        client: Client,
        events: EventRecorder,
        *,
        services: Lister,
        pods: Lister,
        nodes: Lister,
        slices: Indexer,
        limit: int = _LIMIT,
    ) -> None:
        self._client = client
        self._events = events
        self._services = services
        self._pods = pods
        self._nodes = nodes
        self._slices = slices
        self._limit = limit
        self.triggers = TriggerTimes()
        self._zones = ZoneHints()
        self.tracker = SliceTracker()

    def overloaded_by_nodes(self) -> list[str]:
        self._zones.set_nodes(self._nodes.list())
        return self._zones.overloaded()

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        service = self._services.namespaced(namespace).get(name)
        if service is None:  # its slices go with it
            self.triggers.forget(key)
            self._zones.forget(key)
            self.tracker.forget(key)
            return
        if not selects_pods(service):
            return
        existing = [each for each in slices_of(self._slices, key, managed_by=MANAGER) if not is_terminating(each)]
        if self.tracker.is_ahead_of(key, existing):
            raise NotYet("EndpointSlice informer cache is out of date")
        pods = selected_pods(self._pods, service)
        try:
            await self._reconcile(service, pods, existing, self.triggers.changed(service, pods))
        except (APIError, NotYet) as error:
            about = f"Error updating Endpoint Slices for Service {namespace}/{name}: {error}"
            self._events.warn(service, "FailedToUpdateEndpointSlices", about)
            raise

    async def _reconcile(
        self, service: JSONObject, pods: Sequence[JSONObject], existing: Sequence[JSONObject], trigger: str | None
    ) -> None:
        supported, failures = families(service), []
        for family in supported:
            of_family = [each for each in existing if each.get("addressType") == family]
            try:
                await self._reconcile_family(service, pods, of_family, trigger, family)
            except NotYet as error:
                failures.append(str(error))
        for each in existing:
            if each.get("addressType") not in supported:
                self._zones.forget(object_key(service), each["addressType"])
                await self._delete(service, each)
        if failures:
            raise NotYet(failures[0] if len(failures) == 1 else f"[{', '.join(failures)}]")

    async def _reconcile_family(
        self,
        service: JSONObject,
        pods: Sequence[JSONObject],
        existing: list[JSONObject],
        trigger: str | None,
        family: str,
    ) -> None:
        wanted = await self._wanted(service, pods, family)
        changes = await self._changes(service, existing, wanted, family)
        tellings = self._hint(service, existing, changes, family)
        await self._write(service, changes, trigger)
        for telling in tellings:
            self._events.record(service, telling.type, telling.reason, telling.message)
        if wanted.missing:
            raise NotYet(wanted.missing[0] if len(wanted.missing) == 1 else f"[{', '.join(wanted.missing)}]")

    async def _wanted(self, service: JSONObject, pods: Sequence[JSONObject], family: str) -> _Wanted:
        wanted, turns = _Wanted({}, {}, []), TimeSlices()
        for pod in pods:
            if turns.is_over:
                await turns.next()
            if not is_listed(pod, with_terminating=True):
                continue
            ports = endpoint_ports(service, pod)
            key = ports_key(ports)
            if key not in wanted.ports:
                wanted.ports[key] = ordered_slice_ports(ports)
            endpoints = wanted.endpoints.setdefault(key, {})
            node_name = pod["spec"].get("nodeName", "")
            node = self._nodes.get(node_name)
            if node is None and not publishes_unready(service):
                metadata = service["metadata"]
                wanted.missing.append(
                    f"skipping Pod {pod['metadata']['name']} for Service {metadata['namespace']}/{metadata['name']}: "
                    f"Node {node_name} Not Found"
                )
                continue
            endpoint = pod_endpoint(pod, node, service, family)
            if endpoint["addresses"]:
                endpoints[endpoint_key(endpoint)] = endpoint
        return wanted

    async def _changes(
        self, service: JSONObject, existing: list[JSONObject], wanted: _Wanted, family: str
    ) -> SliceChanges:
        labels = slice_labels(service, managed_by=MANAGER)
        changes, by_ports = SliceChanges(), dict[PortsKey, list[JSONObject]]()
        for each in existing:
            if _is_owned(each, service):
                by_ports.setdefault(ports_key(each.get("ports")), []).append(each)
            else:
                changes.delete.append(each)
        for key, endpoints in wanted.endpoints.items():
            make = partial(new_slice, service, wanted.ports[key], family, labels)
            changes.add(await packed(by_ports.get(key, ()), endpoints, make, labels, limit=self._limit))
        for key, slices in by_ports.items():
            if key not in wanted.endpoints:
                changes.delete += slices
        if len(existing) == len(changes.delete) and not changes.create:
            self._keep_one(changes, new_slice(service, (), family, labels))
        return changes

    def _keep_one(self, changes: SliceChanges, placeholder: JSONObject) -> None:
        """A service without endpoints has a slice that says so."""
        match changes.delete:
            case [one] if _is_placeholder(one, placeholder):
                changes.delete = []
            case _:
                changes.create.append(placeholder)

    def _hint(self, service: JSONObject, existing: list[JSONObject], changes: SliceChanges, family: str) -> list[Any]:
        changed = {each["metadata"].get("name") for each in (*changes.update, *changes.delete)}
        unchanged = [each for each in existing if each["metadata"]["name"] not in changed]
        slices = SlicesOfFamily(object_key(service), family, [*changes.create, *changes.update], unchanged)
        distribution = service["spec"].get("trafficDistribution")
        if asks_for_zones(service):
            tellings = self._zones.hint(slices)
        else:
            tellings = self._zones.give_up(slices)
            if is_close(distribution):
                hint_closely(slices, distribution)
            else:
                remove_hints(slices)
        changes.update += slices.more
        return tellings

    async def _write(self, service: JSONObject, changes: SliceChanges, trigger: str | None) -> None:
        _recycle(changes, service)
        slices = self._client.resource(SLICES, service["metadata"]["namespace"])
        if not is_terminating(service):  # otherwise the garbage collector deletes while we create
            for each in changes.create:
                try:
                    self.tracker.written(await slices.create(_annotated(each, trigger)))
                except APIError as error:
                    if any(cause.reason == "NamespaceTerminating" for cause in error.causes):
                        return
                    raise
        for each in changes.update:
            self.tracker.written(await slices.update(_annotated(each, trigger)))
        for each in changes.delete:
            await self._delete(service, each)

    async def _delete(self, service: JSONObject, endpoint_slice: JSONObject) -> None:
        slices = self._client.resource(SLICES, service["metadata"]["namespace"])
        await slices.delete(endpoint_slice["metadata"]["name"])
        self.tracker.deleted(endpoint_slice)


def _is_owned(endpoint_slice: JSONObject, service: JSONObject) -> bool:
    return any(
        each["uid"] == service["metadata"]["uid"] and each["kind"] == "Service" and each["apiVersion"] == "v1"
        for each in endpoint_slice["metadata"].get("ownerReferences") or ()
    )


def _is_placeholder(endpoint_slice: JSONObject, placeholder: JSONObject) -> bool:
    metadata, wanted = endpoint_slice["metadata"], placeholder["metadata"]
    return (
        not endpoint_slice.get("endpoints")
        and not endpoint_slice.get("ports")
        and endpoint_slice.get("addressType") == placeholder["addressType"]
        and labels_of(endpoint_slice) == wanted["labels"]
        and (metadata.get("ownerReferences") or []) == wanted["ownerReferences"]
    )


def _recycle(changes: SliceChanges, service: JSONObject) -> None:
    """What would be deleted is written anew instead of what would be created, where both are the same service's."""
    left = []
    for each in changes.delete:
        if changes.create and _is_owned(each, service):
            made = changes.create.pop()
            metadata = {**made["metadata"], "name": each["metadata"]["name"]}
            changes.update.append({**made, "metadata": metadata})
        else:
            left.append(each)
    changes.delete = left


def _annotated(endpoint_slice: JSONObject, trigger: str | None) -> JSONObject:
    """With the time of the change that it is written for, or without any."""
    annotations = {**(endpoint_slice["metadata"].get("annotations") or {})}
    annotations.pop(TRIGGER_TIME, None)
    if trigger:
        annotations[TRIGGER_TIME] = trigger
    return {**endpoint_slice, "metadata": {**endpoint_slice["metadata"], "annotations": annotations}}
