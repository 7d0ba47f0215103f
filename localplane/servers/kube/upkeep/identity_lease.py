"""Who this server is: a Lease in kube-system that says since when and until when it lives.

Kubernetes: pkg/controlplane/apiserver/server.go (identity lease), its name in apiserver/pkg/server/config.go, and
pkg/controlplane/controller/apiserverleasegc for those of servers that are gone.
"""

from __future__ import annotations

import socket
from base64 import b32encode
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import uuid4

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidTime, micro_now, parse_time
from localplane.client import Client, GroupVersionResource, ListOptions

_LEASES: Final = GroupVersionResource("coordination.k8s.io", "v1", "leases")
_NAMESPACE: Final = "kube-system"
_IDENTITY: Final = "apiserver.kubernetes.io/identity"
_COMPONENT: Final = "kube-apiserver"
_SECONDS: Final = 3600


class IdentityLease:
    def __init__(self, client: Client, *, hostname: str = "") -> None:
        self._leases = client.resource(_LEASES, _NAMESPACE)
        self._hostname = hostname or socket.gethostname()
        self.name = lease_name(self._hostname)
        self._holder = f"{self.name}_{uuid4()}"
        self._lease: JSONObject | None = None

    async def renew(self) -> None:
        """Made if it is not there, and taken over if it was a predecessor's."""
        if self._lease is not None:
            try:
                self._lease = await self._leases.update(self._renewed(self._lease))
            except (Conflict, NotFound):
                self._lease = None
            else:
                return
        try:
            self._lease = await self._leases.update(self._renewed(await self._leases.get(self.name)))
        except NotFound:
            made = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": self.name}}
            self._lease = await self._leases.create(self._renewed(made))

    def _renewed(self, lease: JSONObject) -> JSONObject:
        labels = {_IDENTITY: _COMPONENT, "kubernetes.io/hostname": self._hostname}
        metadata = lease["metadata"] | {"labels": (lease["metadata"].get("labels") or {}) | labels}
        spec = {"holderIdentity": self._holder, "leaseDurationSeconds": _SECONDS, "renewTime": micro_now()}
        return lease | {"metadata": metadata, "spec": spec}

    async def remove_expired(self) -> None:
        """Of servers that have not been heard of for as long as their leases last."""
        listed = await self._leases.list(ListOptions(label_selector=f"{_IDENTITY}={_COMPONENT}"))
        for lease in listed["items"]:
            if is_expired(lease, present()):
                metadata = lease["metadata"]
                try:
                    await self._leases.delete(metadata["name"], resource_version=metadata["resourceVersion"])
                except (Conflict, NotFound):
                    continue  # it lives again, or another server was faster


def lease_name(hostname: str) -> str:
    """The same as that of a kube-apiserver on this machine."""
    parts = (hostname.encode(), _COMPONENT.encode())
    digest = sha256(b"".join(len(part).to_bytes(2, "big") + part for part in parts)).digest()
    return f"apiserver-{b32encode(digest[:16]).decode().rstrip('=').lower()}"


def is_expired(lease: Mapping[str, Any], moment: datetime) -> bool:
    spec = lease.get("spec") or {}
    seconds = spec.get("leaseDurationSeconds")
    try:
        renewed = parse_time(spec.get("renewTime") or "")
    except InvalidTime:
        return True
    return seconds is None or renewed + timedelta(seconds=seconds) < moment
