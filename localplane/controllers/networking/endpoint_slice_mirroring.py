"""Endpoints that somebody wrote for a service without a selector, told again as EndpointSlices.

Kubernetes: pkg/controller/endpointslicemirroring.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.addresses import parse_ip
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
from localplane.client.informers.handlers import deleted_object
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.ownership import controller_reference
from localplane.controllers.pods import is_terminating
from localplane.controllers.worker import NotYet, work

from .endpoint_slices.membership import TRIGGER_TIME, labels_of
from .endpoint_slices.port_order import ordered_slice_ports
from .endpoint_slices.slices import EndpointKey, PortsKey, SliceChanges, endpoint_key, is_same, name_prefix, ports_key
from .endpoint_slices.tracker import MANAGED_BY, SERVICE_NAME, SliceTracker, index_by_service, slice_handler, slices_of
from .endpoints import ENDPOINTS, LEADER, SERVICES, repacked

_Endpoints = dict[EndpointKey, JSONObject]

_SLICES: Final = GroupVersionResource("discovery.k8s.io", "v1", "endpointslices")
_MANAGER: Final = "endpointslicemirroring-controller.k8s.io"
_ACCOUNT: Final = "endpointslicemirroring-controller"
_COMPONENT: Final = "endpoint-slice-mirroring-controller"
_SKIP: Final = "endpointslice.kubernetes.io/skip-mirror"
_NOT_MIRRORED: Final = (TRIGGER_TIME, "kubectl.kubernetes.io/last-applied-configuration")
_LIMIT: Final = 1000
_WORKERS: Final = 5


async def start(context: ControllerContext) -> None:
    informers = [context.informers.informer(each) for each in (ENDPOINTS, _SLICES, SERVICES)]
    endpoints, slices, services = informers
    for informer in informers:
        await informer.wait_for_sync()
    queue = WorkQueue[str]()
    controller = _Controller(
        context.client_of(_ACCOUNT),
        context.recorder(_ACCOUNT, _COMPONENT),
        endpoints=endpoints.lister,
        slices=index_by_service(slices),
        services=services.lister,
    )
    with ExitStack() as listening:
        for informer, handler in (
            (endpoints, _endpoints_handler(queue)),
            (services, _service_handler(queue)),
            (slices, slice_handler(controller.tracker, managed_by=_MANAGER, queue=queue.add)),
        ):
            listening.callback(informer.add_handler(handler).remove)
        await work(queue, controller.sync, workers=_WORKERS)


def _endpoints_handler(queue: WorkQueue[str]) -> HandlerFunctions:
    def hear(*versions: JSONObject) -> None:
        if any(map(_is_mirrored, versions)):
            queue.add(object_key(versions[-1]))

    return HandlerFunctions(add=hear, update=hear, delete=lambda obj: hear(deleted_object(obj)))


def _service_handler(queue: WorkQueue[str]) -> HandlerFunctions:
    def hear(service: JSONObject) -> None:
        if not _has_selector(service):
            queue.add(object_key(service))

    def hear_change(old: JSONObject, new: JSONObject) -> None:
        if _has_selector(old) != _has_selector(new):
            queue.add(object_key(new))

    return HandlerFunctions(add=hear, update=hear_change, delete=lambda obj: hear(deleted_object(obj)))


def _has_selector(service: Mapping[str, Any]) -> bool:
    return bool((service.get("spec") or {}).get("selector"))


def _is_mirrored(endpoints: Mapping[str, Any]) -> bool:
    return labels_of(endpoints).get(_SKIP) != "true" and LEADER not in (endpoints["metadata"].get("annotations") or {})


class _Controller:
    def __init__(
        self, client: Client, events: EventRecorder, *, endpoints: Lister, slices: Indexer, services: Lister
    ) -> None:
        self._client = client
        self._events = events
        self._endpoints = endpoints
        self._slices = slices
        self._services = services
        self.tracker = SliceTracker()

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        existing = slices_of(self._slices, key, managed_by=_MANAGER)
        endpoints = self._endpoints.namespaced(namespace).get(name)
        service = self._services.namespaced(namespace).get(name)
        is_wanted = endpoints is not None and _is_mirrored(endpoints)
        if not is_wanted or service is None or _has_selector(service):
            self.tracker.forget(key)
            slices = self._client.resource(_SLICES, namespace)
            for each in existing:
                await slices.delete(each["metadata"]["name"])
            return
        if self.tracker.is_ahead_of(key, existing):
            raise NotYet("EndpointSlice informer cache is out of date")
        assert endpoints is not None  # or it would not be wanted
        await self._write(endpoints, await self._changes(endpoints, existing))

    async def _changes(self, endpoints: JSONObject, existing: Sequence[JSONObject]) -> SliceChanges:
        by_key: dict[tuple[str, PortsKey], list[JSONObject]] = {}
        for each in existing:
            by_key.setdefault((each.get("addressType", ""), ports_key(each.get("ports"))), []).append(each)
        changes = SliceChanges()
        mirrored = _Mirrored()
        for subset in await repacked(endpoints.get("subsets") or ()):
            mirrored.add(subset)
        self._complain(endpoints, mirrored)
        for key, wanted in mirrored.endpoints.items():
            changes.add(self._of_ports(endpoints, by_key.pop(key, []), wanted, mirrored.ports[key], key[0]))
        for slices in by_key.values():
            changes.delete += slices
        return changes

    def _of_ports(
        self,
        endpoints: JSONObject,
        existing: Sequence[JSONObject],
        wanted: _Endpoints,
        ports: Sequence[JSONObject],
        family: str,
    ) -> SliceChanges:
        """One slice for all endpoints of a family that have the same ports."""
        changes = SliceChanges(delete=list(existing[1:]))
        made = _new_slice(endpoints, wanted.values(), ports, family)
        if not existing:
            changes.create.append(made)
        elif not _says_the_same(existing[0], made, wanted):
            changes.update.append(_renamed(made, existing[0]))
        elif not self.tracker.knows(existing[0]):
            self.tracker.written(existing[0])
        return changes

    def _complain(self, endpoints: JSONObject, mirrored: _Mirrored) -> None:
        if mirrored.invalid:
            message = f"Skipped {mirrored.invalid} invalid IP addresses when mirroring to EndpointSlices"
            self._events.warn(endpoints, "InvalidIPAddress", message)
        if mirrored.skipped > mirrored.invalid:
            self._events.warn(
                endpoints,
                "TooManyAddressesToMirror",
                f"A max of {_LIMIT} addresses can be mirrored to EndpointSlices per Endpoints subset. "
                f"{mirrored.skipped} addresses were skipped",
            )

    async def _write(self, endpoints: JSONObject, changes: SliceChanges) -> None:
        _recycle(changes)
        slices = self._client.resource(_SLICES, endpoints["metadata"]["namespace"])
        if not is_terminating(endpoints):
            for each in changes.create:
                try:
                    self.tracker.written(await slices.create(each))
                except APIError as error:
                    if any(cause.reason == "NamespaceTerminating" for cause in error.causes):
                        return
                    raise
        for each in changes.update:
            self.tracker.written(await slices.update(each))
        for each in changes.delete:
            await slices.delete(each["metadata"]["name"])
            self.tracker.deleted(each)


class _Mirrored:
    """What is to be told, by family and ports; addresses that can't be are counted."""

    def __init__(self) -> None:
        self.ports: dict[tuple[str, PortsKey], list[JSONObject]] = {}
        self.endpoints: dict[tuple[str, PortsKey], _Endpoints] = {}
        self.invalid = 0
        self.skipped = 0

    def add(self, subset: Mapping[str, Any]) -> None:
        ports = ordered_slice_ports({"name": "", **port} for port in subset.get("ports") or ())
        count = 0
        for name, ready in (("addresses", True), ("notReadyAddresses", False)):
            for address in subset.get(name) or ():
                ip = parse_ip(address["ip"])
                if count >= _LIMIT or ip is None:
                    self.skipped += 1
                    self.invalid += count < _LIMIT
                    continue
                key = (f"IPv{ip.version}", ports_key(ports))
                endpoint = _endpoint(address, str(ip), ready=ready)
                self.ports.setdefault(key, ports)
                self.endpoints.setdefault(key, {})[endpoint_key(endpoint)] = endpoint
                count += 1


def _endpoint(address: Mapping[str, Any], ip: str, *, ready: bool) -> JSONObject:
    endpoint: JSONObject = {"addresses": [ip], "conditions": {"ready": ready}}
    for name in ("hostname", "targetRef", "nodeName"):
        if address.get(name):
            endpoint[name] = address[name]
    return endpoint


def _new_slice(
    endpoints: JSONObject, members: Iterable[JSONObject], ports: Sequence[JSONObject], family: str
) -> JSONObject:
    metadata = endpoints["metadata"]
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "generateName": name_prefix(metadata["name"]),
            "namespace": metadata["namespace"],
            "labels": {**labels_of(endpoints), SERVICE_NAME: metadata["name"], MANAGED_BY: _MANAGER},
            "annotations": _mirrored_annotations(endpoints),
            "ownerReferences": [controller_reference(endpoints)],
        },
        "addressType": family,
        "endpoints": list(members),
        "ports": list(ports),
    }


def _mirrored_annotations(endpoints: Mapping[str, Any]) -> dict[str, str]:
    annotations = endpoints["metadata"].get("annotations") or {}
    return {key: value for key, value in annotations.items() if key not in _NOT_MIRRORED}


def _renamed(made: JSONObject, existing: JSONObject) -> JSONObject:
    metadata = {key: value for key, value in made["metadata"].items() if key != "generateName"}
    return {**made, "metadata": {"name": existing["metadata"]["name"], **metadata}}


def _says_the_same(existing: JSONObject, made: JSONObject, wanted: _Endpoints) -> bool:
    endpoints = existing.get("endpoints") or []
    found = [wanted.get(endpoint_key(each)) for each in endpoints]
    is_whole = len(found) == len(wanted)
    metadata, reference = existing["metadata"], made["metadata"]["ownerReferences"][0]
    is_anothers = any(
        each["kind"] == "Endpoints" and each["name"] == reference["name"] and each["uid"] != reference["uid"]
        for each in metadata.get("ownerReferences") or ()
    )
    return (
        is_whole
        and all(new is not None and is_same(new, old) for new, old in zip(found, endpoints, strict=True))
        and labels_of(existing) == made["metadata"]["labels"]
        and (metadata.get("annotations") or {}) == made["metadata"]["annotations"]
        and not is_anothers
    )


def _recycle(changes: SliceChanges) -> None:
    """A slice that would be deleted is written anew instead of one of its family that would be created."""
    for made in list(changes.create):
        going = next((each for each in changes.delete if each.get("addressType") == made["addressType"]), None)
        if going is not None:
            changes.create.remove(made)
            changes.delete = [each for each in changes.delete if each is not going]
            changes.update.append(_renamed(made, going))
