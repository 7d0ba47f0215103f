"""An APIService for every version that this process serves itself, so that clients can ask which there are.

Kubernetes: cmd/kube-apiserver (apiServicesToRegister), kube-aggregator pkg/controllers/autoregister.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.errors import AlreadyExists
from localplane.client import Client, GroupVersionResource

_API_SERVICES: Final = GroupVersionResource("apiregistration.k8s.io", "v1", "apiservices")
_MANAGED: Final = "kube-aggregator.kubernetes.io/automanaged"


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

    def api_service(self) -> dict[str, Any]:
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
            "metadata": {"name": self.name, "labels": {_MANAGED: "onstart"}},
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
