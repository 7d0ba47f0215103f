"""Quotas hold, however many write at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from localplane.apimachinery.errors import Forbidden
from localplane.client import GroupVersionResource, PatchType
from localplane.compose.server import Plane

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMESPACES = GroupVersionResource("", "v1", "namespaces")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
QUOTAS = GroupVersionResource("", "v1", "resourcequotas")


async def limited(plane: Plane, namespace: str, *, used: str) -> None:
    """A namespace with room for three, as the controller would tell it: with a status that says what is used."""
    made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    await plane.client.resource(NAMESPACES).create(made)
    quotas, hard = plane.client.resource(QUOTAS, namespace), {"configmaps": "3"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}}
    await quotas.create(quota)
    status = {"status": {"hard": hard, "used": {"configmaps": used}}}
    await quotas.patch("q", status, PatchType.MERGE, subresource="status")


def config_map(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


async def test_as_many_are_created_as_there_is_room_for(plane: Plane) -> None:
    await limited(plane, "crowded", used="0")
    config_maps = plane.client.resource(CONFIG_MAPS, "crowded")
    names = [f"c{number}" for number in range(10)]
    results = await asyncio.gather(*(config_maps.create(config_map(name)) for name in names), return_exceptions=True)
    refusals = [result for result in results if isinstance(result, Forbidden)]
    assert len(refusals) == 7
    assert refusals[0].message.endswith("requested: configmaps=1, used: configmaps=3, limited: configmaps=3")
    quota = await plane.client.resource(QUOTAS, "crowded").get("q")
    assert quota["status"]["used"] == {"configmaps": "3"}


@pytest.mark.parametrize(("used", "refusals"), [("2", 0), ("3", 1)])
async def test_a_dry_run_may_be_refused_but_is_never_charged(plane: Plane, used: str, refusals: int) -> None:
    namespace = f"dry-{used}"
    await limited(plane, namespace, used=used)
    created = plane.client.resource(CONFIG_MAPS, namespace).create(config_map("dry"), dry_run=True)
    results = await asyncio.gather(created, return_exceptions=True)
    assert sum(isinstance(result, Forbidden) for result in results) == refusals
    quota = await plane.client.resource(QUOTAS, namespace).get("q")
    assert quota["status"]["used"] == {"configmaps": used}
