from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from localplane.client.kubeconfig import ClientConfig, Overrides, load, resolve
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.resources import PatchType
from tests.e2e.up.machine import Machine

_NUMBERS = count(1)
CONFIGMAPS = GroupVersionResource("", "v1", "configmaps")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")


@dataclass(frozen=True)
class Writer:
    """Changes things in a namespace that no other test uses."""

    plane: Machine
    namespace: str

    @property
    def config(self) -> ClientConfig:
        return resolve(load(self.plane.kubeconfig), Overrides())

    def make(self, name: str, *, resource: GroupVersionResource = CONFIGMAPS, **fields: Any) -> None:
        namespace = "" if resource is NAMESPACES else self.namespace
        self._do(lambda client: client.resource(resource, namespace).create({"metadata": {"name": name}, **fields}))

    def patch(self, name: str, patch: dict[str, Any]) -> None:
        self._do(lambda client: client.resource(CONFIGMAPS, self.namespace).patch(name, patch, PatchType.MERGE))

    def remove(self, name: str) -> None:
        self._do(lambda client: client.resource(CONFIGMAPS, self.namespace).delete(name))

    def _do(self, act: Any) -> None:
        async def run() -> None:
            async with Client.connect(self.config) as client:
                await act(client)

        asyncio.run(run())


@pytest.fixture
def writer(plane: Machine) -> Writer:
    here = Writer(plane, f"watch-{next(_NUMBERS)}")
    here.make(here.namespace, resource=NAMESPACES)
    return here
