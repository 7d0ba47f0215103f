"""An APIService for every version that this process serves itself, so that clients can ask which there are.

Kubernetes: cmd/kube-apiserver (apiServicesToRegister), kube-aggregator pkg/controllers/autoregister and
pkg/controlplane/controller/crdregistration.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from localplane.apimachinery.errors import AlreadyExists, APIError, NotFound
from localplane.client import Client, ClientError, GroupVersionResource

_log = logging.getLogger(__name__)

_API_SERVICES: Final = GroupVersionResource("apiregistration.k8s.io", "v1", "apiservices")
_MANAGED: Final = "kube-aggregator.kubernetes.io/automanaged"
_PAUSE_SECONDS: Final = 1.0


class CustomVersion(Protocol):
    """A version of custom resources, and its rank among the others."""

    @property
    def group(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def group_priority(self) -> int: ...
    @property
    def version_priority(self) -> int: ...


@dataclass(frozen=True, slots=True)
class LocalVersion:
    """One version of a group that is served here, and its rank among the others."""

    group: str
    version: str
    group_priority: int
    version_priority: int

    @property
    def name(self) -> str:
        return f"{self.version}.{self.group}"

    def api_service(self, managed: str = "onstart") -> dict[str, Any]:
        spec: dict[str, Any] = {
            "version": self.version,
            "groupPriorityMinimum": self.group_priority,
            "versionPriority": self.version_priority,
        }
        if self.group:
            spec["group"] = self.group
        return {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": self.name, "labels": {_MANAGED: managed}},
            "spec": spec,
        }


async def register(client: Client, versions: Iterable[LocalVersion]) -> None:
    """Make those that are missing. One that somebody changed stays as it is."""
    resource = client.resource(_API_SERVICES)
    there = {item["metadata"]["name"] for item in (await resource.list())["items"]}

    async def make(version: LocalVersion) -> None:
        with suppress(AlreadyExists):
            await resource.create(version.api_service())

    async with asyncio.TaskGroup() as tasks:
        for version in versions:
            if version.name not in there:
                tasks.create_task(make(version))


async def follow(client: Client, versions: Callable[[], Iterable[CustomVersion]], changed: asyncio.Event) -> None:
    """Make and remove the APIServices of custom resources, whenever `changed` says that there may be others."""
    while True:
        await changed.wait()
        changed.clear()
        try:
            await _sync(client, versions())
        except (APIError, ClientError) as error:
            _log.warning("the versions of custom resources can't be registered: %s", error)
            changed.set()
            await asyncio.sleep(_PAUSE_SECONDS)


async def _sync(client: Client, versions: Iterable[CustomVersion]) -> None:
    resource = client.resource(_API_SERVICES)
    listed = (await resource.list())["items"]
    there = {item["metadata"]["name"] for item in listed}
    ours = {item["metadata"]["name"] for item in listed if _is_followed(item)}
    wanted = [LocalVersion(each.group, each.version, each.group_priority, each.version_priority) for each in versions]
    for version in wanted:
        if version.name not in there:
            with suppress(AlreadyExists):
                await resource.create(version.api_service(managed="true"))
    for name in ours - {version.name for version in wanted}:
        with suppress(NotFound):
            await resource.delete(name)


def _is_followed(item: dict[str, Any]) -> bool:
    labels: dict[str, str] = item["metadata"].get("labels") or {}
    return labels.get(_MANAGED) == "true"
