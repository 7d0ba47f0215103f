"""The IPAddress object behind every address of a Service: it is made before the Service and goes after it.

Its name is the address, so the store itself sees to it that no two have the same one. Kubernetes:
pkg/registry/core/service/ipallocator, createIPAddress.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.times import now
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.storage.errors import KeyExists, KeyNotFound, PreconditionFailed
from localplane.apiserver.storage.interface import ListOptions, Preconditions
from localplane.catalog.validation.addresses import family_of

_API_VERSION: Final = "networking.k8s.io/v1"
_FAMILY: Final = "ipaddress.kubernetes.io/ip-family"
_MANAGED_BY: Final = "ipaddress.kubernetes.io/managed-by"
_ALLOCATOR: Final = "ipallocator.k8s.io"
_OWNED: Final[dict[str, Any]] = {
    "f:metadata": {"f:labels": {".": {}, f"f:{_FAMILY}": {}, f"f:{_MANAGED_BY}": {}}},
    "f:spec": {"f:parentRef": {".": {}, "f:name": {}, "f:namespace": {}, "f:resource": {}}},
}


@dataclass(frozen=True, slots=True)
class Owner:
    """The Service that an address is for."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Claims:
    """The addresses that have an object; of `ours`, which this allocator or another server's has made, also its uid."""

    ips: set[str]
    ours: set[tuple[str, str]]


class IPObjects:
    """Of one server. Without a definition nothing is served under that name, and nothing is written."""

    def __init__(self, definition: Definition | None) -> None:
        self._definition = definition

    async def names(self) -> set[str]:
        """All addresses that have an object, whoever made it."""
        return {key for key, _ in await self._listed()}

    async def create(self, ip: str, owner: Owner) -> bool:
        """Whether it was free."""
        if self._definition is None:
            return True
        try:
            await self._definition.storage.create(self._definition.key("", ip), _ip_address(ip, owner))
        except KeyExists:
            return False
        return True

    def is_known(self, ip: str) -> bool:
        """Whether somebody has it, as far as one can tell without asking the store."""
        return self._definition is not None and self._definition.storage.peek(self._definition.key("", ip)) is not None

    async def claims(self) -> Claims:
        """All that there are. Raises StorageError."""
        if self._definition is None:
            return Claims(set(), set())
        listed = await self._definition.storage.list(self._definition.prefix, ListOptions(only_readable=True))
        named = [(item.key.rpartition("/")[2], item) for item in listed.items]
        ours = {(ip, item.uid) for ip, item in named if item.labels.get(_MANAGED_BY) == _ALLOCATOR}
        return Claims({ip for ip, _ in named}, ours)

    async def delete_claim(self, ip: str, uid: str) -> bool:
        """Whether this very object was there, and has gone."""
        if self._definition is None:
            return False
        try:
            await self._definition.storage.delete(self._definition.key("", ip), preconditions=Preconditions(uid=uid))
        except (KeyNotFound, PreconditionFailed):
            return False
        return True

    async def delete_of(self, ip: str, owner: Owner, *, while_true: Callable[[], bool]) -> None:
        """Only if it is this owner's, and it is not too late for that."""
        if self._definition is None:
            return
        key = self._definition.key("", ip)
        try:
            stored = await self._definition.storage.get(key)
        except KeyNotFound:
            return
        parent = (stored.decode().get("spec") or {}).get("parentRef") or {}
        if (parent.get("namespace"), parent.get("name")) == (owner.namespace, owner.name) and while_true():
            await self.delete_claim(ip, stored.uid)

    async def delete(self, ip: str) -> None:
        if self._definition is None:
            return
        with suppress(KeyNotFound):
            await self._definition.storage.delete(self._definition.key("", ip))

    async def delete_orphans(self, is_used: Callable[[str], bool]) -> None:
        """Those of ours that no Service has: left over when a server died between two writes. Each is asked about when
        it is its turn, because claims are made meanwhile."""
        for ip, is_ours in await self._listed():
            if is_ours and not is_used(ip):
                await self.delete(ip)

    async def _listed(self) -> list[tuple[str, bool]]:
        if self._definition is None:
            return []
        listed = await self._definition.storage.list(self._definition.prefix, ListOptions(only_readable=True))
        return [(item.key.rpartition("/")[2], item.labels.get(_MANAGED_BY) == _ALLOCATOR) for item in listed.items]


def _ip_address(ip: str, owner: Owner) -> dict[str, Any]:
    written = now()
    return {
        "apiVersion": _API_VERSION,
        "kind": "IPAddress",
        "metadata": {
            "name": ip,
            "uid": str(uuid.uuid4()),
            "creationTimestamp": written,
            "labels": {_FAMILY: family_of(ip), _MANAGED_BY: _ALLOCATOR},
            "managedFields": [
                {
                    "manager": "kube-apiserver",
                    "operation": "Update",
                    "apiVersion": _API_VERSION,
                    "time": written,
                    "fieldsType": "FieldsV1",
                    "fieldsV1": _OWNED,
                }
            ],
        },
        "spec": {"parentRef": {"resource": "services", "namespace": owner.namespace, "name": owner.name}},
    }
