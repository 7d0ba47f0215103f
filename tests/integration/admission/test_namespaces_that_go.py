"""Whoever was held back by admission, or by the store, until a namespace was going: nothing is left behind in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from localplane.apimachinery.errors import APIError, Forbidden, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Entrances
from localplane.apiserver.server.options import ServerOptions
from localplane.client import GroupVersionResource, PatchType
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane
from tests.integration.admission.reviewing import (
    CONFIG_MAPS,
    MUTATING,
    NAMESPACES,
    VALIDATING,
    Reviewer,
    config_map,
    configured,
    running_reviewer,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=[StorageKind.MEMORY, StorageKind.SQLITE])
async def plane(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Plane]:
    data = None if request.param is StorageKind.MEMORY else tmp_path_factory.mktemp("data") / "plane"
    options = ClusterOptions(
        storage=StorageOptions(kind=request.param, data_dir=data),
        server=ServerOptions(port=0),
        controllers=("namespace",),
        disabled_admission_plugins=("ServiceAccount",),
    )
    async with open_cluster(options) as plane:
        yield plane


@pytest_asyncio.fixture(loop_scope="module")
async def reviewer(tmp_path: Path) -> AsyncIterator[Reviewer]:
    async with running_reviewer(tmp_path) as reviewer:
        yield reviewer


async def create(plane: Plane, namespace: str) -> JSONObject:
    return await plane.client.resource(CONFIG_MAPS, namespace).create(config_map("late"))


async def apply(plane: Plane, namespace: str) -> JSONObject:
    late = {"apiVersion": "v1", "kind": "ConfigMap", **config_map("late")}
    return await plane.client.resource(CONFIG_MAPS, namespace).patch(
        "late", late, PatchType.APPLY, field_manager="me", force=True
    )


async def is_stored(plane: Plane, namespace: str) -> bool:
    return (await plane.storage.backend.get(f"/registry/configmaps/{namespace}/late")).kv is not None


async def until_gone(plane: Plane, namespace: str) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                await plane.client.resource(NAMESPACES).get(namespace)
            except NotFound:
                return
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("write", [create, apply])
@pytest.mark.parametrize("kind", [VALIDATING, MUTATING], ids=["validating", "mutating"])
async def test_a_create_that_a_webhook_held_back_does_not_land_in_a_namespace_that_is_gone(
    plane: Plane, reviewer: Reviewer, kind: GroupVersionResource, write: object
) -> None:
    assert write in (create, apply)
    namespace = f"held-{'c' if write is create else 'a'}-{kind.resource[:3]}"
    await plane.client.resource(NAMESPACES).create({"metadata": {"name": namespace}})
    async with configured(plane.client, kind, reviewer.webhook("slow", timeoutSeconds=30)):
        reviewer.may_answer.clear()
        late = asyncio.create_task((create if write is create else apply)(plane, namespace))
        await reviewer.was_asked.wait()
        await plane.client.resource(NAMESPACES).delete(namespace)
        await until_gone(plane, namespace)
        reviewer.may_answer.set()
        with pytest.raises(NotFound, match=f'namespaces "{namespace}" not found'):
            await late
    assert not await is_stored(plane, namespace)


async def test_one_that_is_only_going_is_told_so(plane: Plane, reviewer: Reviewer) -> None:
    await plane.client.resource(NAMESPACES).create({"metadata": {"name": "going"}})
    held = config_map("held") | {"metadata": {"name": "held", "finalizers": ["example.com/held"]}}
    await plane.client.resource(CONFIG_MAPS, "going").create(held)
    async with configured(plane.client, VALIDATING, reviewer.webhook("slow", timeoutSeconds=30)):
        reviewer.may_answer.clear()
        late = asyncio.create_task(create(plane, "going"))
        await reviewer.was_asked.wait()
        await plane.client.resource(NAMESPACES).delete("going")
        reviewer.may_answer.set()
        with pytest.raises(Forbidden, match="unable to create new content in namespace going because it is being term"):
            await late
    await plane.client.resource(CONFIG_MAPS, "going").patch("held", {"metadata": {"finalizers": None}}, PatchType.MERGE)
    await until_gone(plane, "going")


async def test_a_write_that_the_store_holds_back_is_waited_for(plane: Plane, monkeypatch: pytest.MonkeyPatch) -> None:
    """It had passed the last look: the namespace is emptied only when its outcome is known."""
    await plane.client.resource(NAMESPACES).create({"metadata": {"name": "slow"}})
    backend, put = plane.storage.backend, plane.storage.backend.put
    waits, may_go_on = asyncio.Event(), asyncio.Event()

    async def slow_put(key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        if key.endswith("/slow/late"):
            waits.set()
            await may_go_on.wait()
        return await put(key, value, expected=expected, ttl=ttl)

    monkeypatch.setattr(backend, "put", slow_put)
    late = asyncio.create_task(create(plane, "slow"))
    await waits.wait()
    await plane.client.resource(NAMESPACES).delete("slow")
    with pytest.raises(APIError, match="being terminated"):
        await create(plane, "slow")
    for _ in range(200):  # whatever the controller could do without waiting, it has done by then
        await asyncio.sleep(0)
    assert await plane.client.resource(NAMESPACES).get("slow")
    may_go_on.set()
    assert (await late)["metadata"]["namespace"] == "slow"
    await until_gone(plane, "slow")
    assert not await is_stored(plane, "slow")


async def test_closed_waits_for_all_who_are_inside_and_for_no_others() -> None:
    entrances = Entrances()
    await entrances.closed("a")
    for namespace in ("a", "a", "b"):
        entrances.enter(namespace)
    waiting = asyncio.create_task(entrances.closed("a"))
    entrances.leave("a")
    await asyncio.sleep(0)
    assert not waiting.done()
    entrances.leave("a")
    await waiting
    entrances.leave("b")
    await entrances.closed("b")
