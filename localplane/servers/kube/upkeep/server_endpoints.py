"""Where the servers of a cluster are found: the endpoints of its own Service, `kubernetes`.

Where several servers use one store, each keeps a key below /masterleases/ that lasts for fifteen seconds, and renews it
every ten; whoever sees that one has come or gone brings the endpoints up to date. A server that stops takes its key
along. A server that is alone tells its own address, once.

Servers with different ports (several on one machine) are told in subsets and slices of their own; Kubernetes knows one
port for all. Kubernetes: pkg/controlplane/reconcilers (lease.go, endpointsadapter.go).
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from localplane.apimachinery.errors import AlreadyExists, APIError, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import KeyNotFound, StorageError
from localplane.apiserver.storage.interface import EventType, ListOptions, Storage, UpdateOptions, WatchOptions
from localplane.apiserver.storage.objects import StoredObject
from localplane.client import Client, ClientError, GroupVersionResource
from localplane.client import ListOptions as Selection

_log = logging.getLogger(__name__)

PREFIX: Final = "/masterleases/"
LIVES: Final = timedelta(seconds=15)
_RENEWED_EVERY: Final = timedelta(seconds=10)
_NEXT_TRY_SECONDS: Final = 1.0
_GOODBYE: Final = timedelta(seconds=2)
_ATTEMPTS: Final = 5

_ENDPOINTS: Final = GroupVersionResource("", "v1", "endpoints")
_SLICES: Final = GroupVersionResource("discovery.k8s.io", "v1", "endpointslices")
_NAME: Final = "kubernetes"
_NAMESPACE: Final = "default"
_SERVICE: Final = "kubernetes.io/service-name"


@dataclass(frozen=True, slots=True, order=True)
class ServerAddress:
    ip: str
    port: int

    @property
    def key(self) -> str:
        return f"{PREFIX}{self.ip}:{self.port}"

    @property
    def type(self) -> str:
        return f"IPv{ipaddress.ip_address(self.ip).version}"


class ServerEndpoints:
    """Of the server at `address`. `leases` is the storage of what is below PREFIX, where there may be others."""

    def __init__(self, client: Client, address: ServerAddress, leases: Storage | None) -> None:
        self._client = client
        self._address = address
        self._leases = leases

    async def publish(self) -> None:
        """Before anybody may come: this server is among those that are told. Raises StorageError and APIError."""
        if self._leases is None:
            await self._reconcile([self._address])
            return
        await self._renew(self._leases)
        listed = await self._leases.list(PREFIX, ListOptions(only_readable=True))
        await self._reconcile(_addresses(listed.items, self._address))

    async def run(self) -> None:
        """Until it is cancelled; then this server is told no more. For one that has companions."""
        assert self._leases is not None, "who is alone has told its address"
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._keep(self._leases))
                tasks.create_task(self._follow(self._leases))
        finally:
            await self._withdraw(self._leases)

    async def _keep(self, leases: Storage) -> None:
        while True:
            pause = _RENEWED_EVERY.total_seconds()
            try:
                await self._renew(leases)
            except StorageError as error:
                _log.info("that this server lives is told later: %s", error)
                pause = _NEXT_TRY_SECONDS
            await asyncio.sleep(pause)

    async def _renew(self, leases: Storage) -> None:
        address = self._address

        async def renewed(current: JSONObject) -> JSONObject:
            """The generation makes it another object each time, or nothing would be written."""
            generation = (current.get("metadata") or {}).get("generation") or 0
            subset = {"addresses": [{"ip": address.ip}], "ports": _ports(address.port)}
            metadata = {"name": f"{address.ip}:{address.port}", "generation": generation + 1}
            return {"kind": "Endpoints", "apiVersion": "v1", "metadata": metadata, "subsets": [subset]}

        await leases.guaranteed_update(address.key, renewed, UpdateOptions(ignore_not_found=True, ttl=LIVES))

    async def _follow(self, leases: Storage) -> None:
        while True:
            try:
                await self._watch(leases)
            except (StorageError, APIError, ClientError) as error:
                _log.info("the endpoints of %s are looked at again: %s", _NAME, error)
            await asyncio.sleep(_NEXT_TRY_SECONDS)

    async def _watch(self, leases: Storage) -> None:
        """Until the watch ends."""
        live: dict[str, StoredObject] = {}
        told: list[ServerAddress] = []
        watch = await leases.watch(PREFIX, WatchOptions(only_readable=True))
        try:
            while events := await watch.take():
                for event in events:
                    if event.type is EventType.ERROR:
                        return
                    if event.object is None:
                        continue
                    if event.type is EventType.DELETED:
                        live.pop(event.object.key, None)
                    else:
                        live[event.object.key] = event.object
                addresses = _addresses(live.values(), self._address)
                if addresses != told:
                    await self._reconcile(addresses)
                    told = addresses
        finally:
            await watch.stop()

    async def _withdraw(self, leases: Storage) -> None:
        """Those who stay see it too: what does not happen now, they do."""
        try:
            async with asyncio.timeout(_GOODBYE.total_seconds()):
                with suppress(KeyNotFound):
                    await leases.delete(self._address.key)
                listed = await leases.list(PREFIX, ListOptions(only_readable=True))
                if others := _addresses(listed.items):
                    await self._reconcile(others)
        except (StorageError, APIError, ClientError, TimeoutError) as error:
            _log.info("the others will notice that this server has gone: %s", error)

    async def _reconcile(self, addresses: Collection[ServerAddress]) -> None:
        """Others may do the same at the same time, so what has changed meanwhile is looked at again."""
        for attempt in range(_ATTEMPTS):
            try:
                await self._reconcile_endpoints(addresses)
                await self._reconcile_slices(addresses)
            except (Conflict, AlreadyExists, NotFound):
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                return

    async def _reconcile_endpoints(self, addresses: Collection[ServerAddress]) -> None:
        endpoints = self._client.resource(_ENDPOINTS, _NAMESPACE)
        subsets = [
            {"addresses": [{"ip": ip} for ip in ips], "ports": _ports(port)}
            for (_, port), ips in _by_port(addresses).items()
        ]
        current = await endpoints.get(_NAME)
        if current.get("subsets") != subsets:
            await endpoints.update(current | {"subsets": subsets})

    async def _reconcile_slices(self, addresses: Collection[ServerAddress]) -> None:
        slices = self._client.resource(_SLICES, _NAMESPACE)
        listed = await slices.list(Selection(label_selector=f"{_SERVICE}={_NAME}"))
        there = {item["metadata"]["name"]: item for item in listed["items"]}
        wanted = _slices(addresses)
        for name, content in wanted.items():
            if name not in there:
                metadata = {"name": name, "namespace": _NAMESPACE, "labels": {_SERVICE: _NAME}}
                named = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": metadata}
                await slices.create(named | content)
            elif any(there[name].get(key) != value for key, value in content.items()):
                await slices.update(there[name] | content)
        for name in there.keys() - wanted.keys():
            if name.startswith(f"{_NAME}-"):
                with suppress(NotFound):
                    await slices.delete(name)


def _ports(port: int) -> list[JSONObject]:
    return [{"name": "https", "port": port, "protocol": "TCP"}]


def _by_port(addresses: Iterable[ServerAddress]) -> dict[tuple[str, int], list[str]]:
    """The addresses of one family with one port, in order."""
    found: dict[tuple[str, int], list[str]] = {}
    for each in sorted(addresses, key=lambda each: (each.type, each.port, each.ip)):
        found.setdefault((each.type, each.port), []).append(each.ip)
    return found


def _slices(addresses: Iterable[ServerAddress]) -> dict[str, dict[str, Any]]:
    """By their names. The first has the name that it has in a cluster of one."""
    found: dict[str, dict[str, Any]] = {}
    for (family, port), ips in _by_port(addresses).items():
        endpoints = [{"addresses": [ip], "conditions": {"ready": True}} for ip in ips]
        name = f"{_NAME}-{family.lower()}-{port}" if found else _NAME
        found[name] = {"addressType": family, "endpoints": endpoints, "ports": _ports(port)}
    return found


def _addresses(leases: Iterable[StoredObject], *own: ServerAddress) -> list[ServerAddress]:
    """What is told by those who live; what can't be read is nobody's address."""
    found = set(own)
    for lease in leases:
        with suppress(KeyError, IndexError, TypeError, ValueError):
            subset = lease.decode()["subsets"][0]
            ports = subset.get("ports") or [{"port": own[0].port if own else 0}]
            address = ServerAddress(str(ipaddress.ip_address(subset["addresses"][0]["ip"])), int(ports[0]["port"]))
            found.add(address)
    return sorted(found)
