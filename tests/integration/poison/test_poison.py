"""Whatever anybody has stored, of any kind: the server starts, stays up, names it, and serves everything else."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest

from localplane.apimachinery.errors import InternalError
from localplane.apiserver.admission import AdmissionChain
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.server.options import ServerOptions
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.keys import DEFAULT_ROOT
from localplane.apiserver.storage.memory import MemoryBackend
from localplane.apiserver.storage.sqlite.backend import SQLiteBackend
from localplane.catalog.groups import groups
from localplane.catalog.options import CatalogOptions
from localplane.client import GroupVersionResource
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane
from localplane.servers.aggregator import api_services
from localplane.servers.apiextensions.kind import make_group as make_definitions
from localplane.servers.apiextensions.rules import RuleCompiler
from tests.integration.poison.life import CONFIG_MAPS, DEFINITIONS, check_life
from tests.integration.poison.nonsense import NONSENSE
from tests.integration.poison.poisons import Poison, poisons_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

WIDGETS = GroupVersionResource("poison.example.com", "v1", "widgets")


async def _unheard(_: str) -> None:
    """Nobody follows definitions here."""


def _definitions() -> list[Definition]:
    """Of all built-in kinds that are stored, as a server has them."""
    installer = Installer(Cacher(MemoryBackend()).resource, AdmissionChain())
    for group in (api_services.GROUP, *groups(CatalogOptions()), make_definitions(_unheard, RuleCompiler())):
        installer.install(group)
    return sorted(installer.storing_definitions(), key=lambda each: each.prefix)


ALL = {each.prefix: each for each in _definitions()}
LOG = "localplane.apiserver.storage.cacher.bad_objects"


async def plant(plane: Plane, poisons: Iterable[Poison]) -> None:
    for poison in poisons:
        await plane.storage.backend.put(poison.key, poison.value, expected=0)
    await plane.storage.cacher.catch_up()


async def take_away(plane: Plane, poisons: Iterable[Poison]) -> None:
    for poison in poisons:
        found = (await plane.storage.backend.get(poison.key)).kv
        if found is not None:
            await plane.storage.backend.delete(poison.key, expected=found.revision)
    await plane.storage.cacher.catch_up()


def unreadable(plane: Plane) -> set[str]:
    return {each.key for each in plane.storage.cacher.judgement.bad_objects if not each.verdict.is_shown}


@pytest.mark.parametrize(
    "group", sorted({each.resource.group for each in ALL.values()}), ids=lambda each: each or "core"
)
async def test_while_it_runs_no_form_of_any_kind_stops_the_others(
    plane: Plane, group: str, caplog: pytest.LogCaptureFixture
) -> None:
    kinds = [each for each in ALL.values() if each.resource.group == group]
    poisons = [poison for each in kinds for poison in poisons_of(each, DEFAULT_ROOT)]
    await plant(plane, poisons)
    try:
        assert unreadable(plane) == {each.key for each in poisons if each.is_unreadable}
        await check_life(plane, f"alive-{sum(group.encode())}", poisoned=[each.prefix for each in kinds])
    finally:
        await take_away(plane, poisons)
    assert "is started again" not in caplog.text, "no controller ends for what is wrong with one object"
    assert not len(plane.storage.cacher.judgement.bad_objects)


@pytest.mark.parametrize("prefix", ALL)
async def test_the_log_names_every_form_of_every_kind(
    plane: Plane, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, LOG)
    for poison in poisons_of(ALL[prefix], DEFAULT_ROOT):
        await plant(plane, [poison])
        await take_away(plane, [poison])
        named = [record.getMessage() for record in caplog.records if record.name == LOG]
        assert any(f" {poison.key} " in text for text in named) or not poison.is_unreadable
        caplog.clear()


async def test_before_the_start_no_form_of_any_kind_keeps_it_from_starting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """All of them at once: the bootstrap, every informer and every controller meets its own."""
    options = _on_sqlite(tmp_path / "data")
    async with open_cluster(options) as plane:
        await plane.client.resource(DEFINITIONS).create(_definition())
    poisons = [each for definition in ALL.values() for each in poisons_of(definition, DEFAULT_ROOT)]
    poisons += [_custom("no-json", b"\x00"), _custom("another-version", _object(apiVersion="poison.example.com/v7"))]
    backend = await SQLiteBackend.open(tmp_path / "data" / "sqlite.db")
    for poison in poisons:
        await backend.put(poison.key, poison.value, expected=0)
    await backend.close()

    caplog.set_level(logging.ERROR, LOG)
    async with open_cluster(options) as plane:
        await plane.storage.cacher.judgement.settle()
        assert unreadable(plane) >= {each.key for each in poisons if each.is_unreadable}
        assert any(poisons[0].key in record.getMessage() for record in caplog.records)
        found = await plane.client.resource(CONFIG_MAPS, "kube-system").get("extension-apiserver-authentication")
        assert found["data"]
        await check_life(plane, "alive", poisoned=ALL)


@pytest.mark.parametrize("prefix", ["/namespaces/", "/services/specs/", "/clusterroles/", "/clusterrolebindings/"])
@pytest.mark.parametrize("value", [b"\x00", b'{"kind":"Any","apiVersion":"any/v1","metadata":{}}'])
async def test_what_a_fresh_cluster_has_may_itself_be_poisoned(tmp_path: Path, prefix: str, value: bytes) -> None:
    options = _on_sqlite(tmp_path / "data")
    async with open_cluster(options) as plane:
        pass
    backend = await SQLiteBackend.open(tmp_path / "data" / "sqlite.db")
    page = await backend.range(DEFAULT_ROOT + prefix, DEFAULT_ROOT + prefix[:-1] + "0")
    assert page.kvs
    for kv in page.kvs:
        if not kv.key.endswith(("/cluster-admin", "/kube-system")):
            await backend.put(kv.key, value, expected=kv.revision)
    await backend.close()

    async with open_cluster(options) as plane:
        await check_life(plane, "alive", poisoned=[prefix])


async def test_nonsense_of_the_right_types_stops_nobody(plane: Plane) -> None:
    poisons = [each.poison(ALL[each.prefix]) for each in NONSENSE]
    await plant(plane, poisons)
    try:
        await check_life(plane, "sane")
    finally:
        await take_away(plane, poisons)


async def test_clients_are_told_as_kubernetes_tells_them(plane: Plane) -> None:
    """One that can't be read fails its own get and the lists it is in; the others of its kind can be got."""
    poisons = [each for each in poisons_of(ALL["/configmaps/"], DEFAULT_ROOT) if each.form in ("no-json", "bare")]
    await plane.client.resource(CONFIG_MAPS, "default").create({"metadata": {"name": "good"}})
    await plant(plane, poisons)
    try:
        maps = plane.client.resource(CONFIG_MAPS, "default")
        with pytest.raises(InternalError, match=r"/registry/configmaps/default/poison-no-json can't be read"):
            await maps.get("poison-no-json")
        with pytest.raises(InternalError, match=r"/registry/configmaps/default/poison-no-json can't be read"):
            await maps.list()
        assert (await maps.get("good"))["metadata"]["name"] == "good"
        assert (await maps.get("poison-bare"))["metadata"]["name"] == "poison-bare"
        listed = await plane.observer.resource(CONFIG_MAPS, "default").list()
        names = {each["metadata"]["name"] for each in listed["items"]}
        assert {"good", "poison-bare"} <= names
        assert "poison-no-json" not in names
    finally:
        await take_away(plane, poisons)


def _on_sqlite(path: Path) -> ClusterOptions:
    storage = StorageOptions(kind=StorageKind.SQLITE, data_dir=path)
    return ClusterOptions(name="poisoned", storage=storage, server=ServerOptions(port=0))


def _definition() -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "metadata": {"name": "widgets.poison.example.com"},
        "spec": {
            "group": "poison.example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def _object(**fields: Any) -> bytes:
    return orjson.dumps({"kind": "Widget", "metadata": {"name": "another-version", "namespace": "default"}, **fields})


def _custom(name: str, value: bytes) -> Poison:
    return Poison(name, f"{DEFAULT_ROOT}/poison.example.com/widgets/default/{name}", value)
