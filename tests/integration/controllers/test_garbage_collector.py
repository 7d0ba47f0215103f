"""What becomes of dependents when an owner goes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, ListOptions
from localplane.library import StorageKind, StorageOptions
from tests.integration.controllers.world import (
    CONFIG_MAPS,
    CRON_TABS,
    DEFINITIONS,
    EVENTS,
    LATECOMERS,
    NAMESPACES,
    REALMS,
    SECRETS,
    Hiding,
    World,
    opened,
    owner,
    running,
)

GC = "garbagecollector"
DEFAULT = "default"
DEFINITION = {
    "group": "late.example.com",
    "names": {"plural": "latecomers", "kind": "Latecomer"},
    "scope": "Namespaced",
    "versions": [{"name": "v1", "served": True, "storage": True}],
}


def references(obj: JSONObject | None) -> list[JSONObject]:
    assert obj is not None
    found: list[JSONObject] = obj["metadata"].get("ownerReferences") or []
    return found


async def settled(world: World) -> None:
    """All that was done before has been seen and dealt with: an owner that came later has lost its dependent."""
    last = await world.create(CONFIG_MAPS, "settling", DEFAULT)
    await world.create(SECRETS, "settling", DEFAULT, owners=[owner(last)])
    await world.of(CONFIG_MAPS, DEFAULT).delete("settling")
    await world.gone(SECRETS, "settling", DEFAULT)


@pytest.mark.parametrize("kind", [SECRETS, CRON_TABS], ids=lambda kind: kind.resource)
async def test_in_the_background_dependents_go_after_their_owner_and_theirs_after_them(
    kind: GroupVersionResource,
) -> None:
    async with opened(GC) as world:
        top = await world.create(kind, "top", DEFAULT)
        middle = await world.create(CONFIG_MAPS, "middle", DEFAULT, owners=[owner(top)])
        await world.create(kind, "bottom", DEFAULT, owners=[owner(middle)])
        await world.create(kind, "bystander", DEFAULT)
        await world.of(kind, DEFAULT).delete("top", propagation_policy="Background")
        await world.gone(kind, "bottom", DEFAULT)
        assert await world.get(CONFIG_MAPS, "middle", DEFAULT) is None
        assert await world.get(kind, "bystander", DEFAULT) is not None


async def test_in_the_foreground_an_owner_waits_for_those_that_block_it() -> None:
    async with opened(GC) as world:
        top = await world.create(CONFIG_MAPS, "top", DEFAULT)
        held = {"finalizers": ["example.com/wait"]}
        await world.create(SECRETS, "blocking", DEFAULT, owners=[owner(top, blocks=True)], metadata=held)
        await world.create(CRON_TABS, "other", DEFAULT, owners=[owner(top)], metadata=held)
        await world.of(CONFIG_MAPS, DEFAULT).delete("top", propagation_policy="Foreground")
        await world.becomes(SECRETS, "blocking", DEFAULT, so=_is_going)
        await settled(world)
        going = await world.get(CONFIG_MAPS, "top", DEFAULT)
        assert going is not None
        assert going["metadata"]["finalizers"] == ["foregroundDeletion"]
        await world.release(SECRETS, "blocking", DEFAULT)
        await world.gone(CONFIG_MAPS, "top", DEFAULT)
        await world.becomes(CRON_TABS, "other", DEFAULT, so=_is_going)


async def test_in_the_foreground_a_chain_goes_from_its_end() -> None:
    async with opened(GC) as world:
        top = await world.create(CONFIG_MAPS, "top", DEFAULT)
        middle = await world.create(CRON_TABS, "middle", DEFAULT, owners=[owner(top, blocks=True)])
        await world.create(SECRETS, "bottom", DEFAULT, owners=[owner(middle, blocks=True)])
        version = (await world.of(SECRETS).list(ListOptions(limit=1)))["metadata"]["resourceVersion"]
        order = {
            kind.resource: asyncio.create_task(_version_of_deletion(world, kind, version))
            for kind in (CONFIG_MAPS, CRON_TABS, SECRETS)
        }
        await world.of(CONFIG_MAPS, DEFAULT).delete("top", propagation_policy="Foreground")
        versions = {name: await task for name, task in order.items()}
        assert sorted(versions, key=lambda name: versions[name]) == ["secrets", "crontabs", "configmaps"]


@pytest.mark.parametrize("kind", [SECRETS, CRON_TABS], ids=lambda kind: kind.resource)
async def test_orphans_stay_and_forget_their_owner(kind: GroupVersionResource) -> None:
    async with opened(GC) as world:
        top = await world.create(CONFIG_MAPS, "top", DEFAULT)
        other = await world.create(CONFIG_MAPS, "other", DEFAULT)
        await world.create(kind, "a", DEFAULT, owners=[owner(top)])
        await world.create(kind, "b", DEFAULT, owners=[owner(top), owner(other)])
        await world.of(CONFIG_MAPS, DEFAULT).delete("top", propagation_policy="Orphan")
        await world.gone(CONFIG_MAPS, "top", DEFAULT)
        await settled(world)
        assert references(await world.get(kind, "a", DEFAULT)) == []
        assert references(await world.get(kind, "b", DEFAULT)) == [owner(other)]


async def test_an_object_stays_for_another_owner_and_forgets_the_one_that_went() -> None:
    async with opened(GC) as world:
        one, two = [await world.create(CONFIG_MAPS, name, DEFAULT) for name in ("one", "two")]
        await world.create(SECRETS, "shared", DEFAULT, owners=[owner(one), owner(two)])
        await world.of(CONFIG_MAPS, DEFAULT).delete("one")
        await world.becomes(SECRETS, "shared", DEFAULT, so=lambda obj: references(obj) == [owner(two)])
        await world.of(CONFIG_MAPS, DEFAULT).delete("two")
        await world.gone(SECRETS, "shared", DEFAULT)


async def test_who_is_born_to_an_owner_that_never_was_goes() -> None:
    async with opened(GC) as world:
        was = await world.create(CONFIG_MAPS, "was", DEFAULT)
        ghost = owner(was) | {"uid": "11111111-2222-3333-4444-555555555555"}  # the name is right, the uid is not
        await world.create(SECRETS, "a", DEFAULT, owners=[ghost])
        await world.gone(SECRETS, "a", DEFAULT)
        assert await world.get(CONFIG_MAPS, "was", DEFAULT) is not None


async def test_an_owner_of_an_unknown_kind_keeps_its_dependents() -> None:
    async with opened(GC) as world:
        known = await world.create(CONFIG_MAPS, "known", DEFAULT)
        unknown = {"apiVersion": "nobody.example.com/v1", "kind": "Nothing", "name": "n", "uid": "u"}
        await world.create(SECRETS, "a", DEFAULT, owners=[unknown])
        await world.create(SECRETS, "b", DEFAULT, owners=[unknown, owner(known)])
        await world.of(CONFIG_MAPS, DEFAULT).delete("known")
        await settled(world)
        assert await world.get(SECRETS, "a", DEFAULT) is not None
        assert await world.get(SECRETS, "b", DEFAULT) is not None


async def test_an_owner_in_another_namespace_is_none_and_an_event_says_so() -> None:
    async with opened(GC) as world:
        await world.create(NAMESPACES, "elsewhere")
        top = await world.create(CONFIG_MAPS, "top", "elsewhere")
        await settled(world)  # which makes sure that the owner was seen before
        dependent = await world.create(SECRETS, "a", DEFAULT, owners=[owner(top)])
        await world.gone(SECRETS, "a", DEFAULT)
        assert await world.get(CONFIG_MAPS, "top", "elsewhere") is not None
        event = (await world.of(EVENTS, DEFAULT).list())["items"][0]
        uid = top["metadata"]["uid"]
        assert (event["type"], event["reason"]) == ("Warning", "OwnerRefInvalidNamespace")
        assert event["message"] == (
            f'ownerRef [v1/ConfigMap, namespace: default, name: top, uid: {uid}] does not exist in namespace "default"'
        )
        assert event["involvedObject"]["uid"] == dependent["metadata"]["uid"]
        assert event["source"] == {"component": "garbage-collector-controller"}


async def test_a_cluster_scoped_owner_may_have_dependents_anywhere() -> None:
    async with opened(GC) as world:
        realm = await world.create(REALMS, "r")
        await world.create(SECRETS, "a", DEFAULT, owners=[owner(realm)])
        await world.create(REALMS, "province", owners=[owner(realm)])
        await settled(world)
        assert await world.get(SECRETS, "a", DEFAULT) is not None
        await world.of(REALMS).delete("r")
        await world.gone(SECRETS, "a", DEFAULT)
        await world.gone(REALMS, "province")


async def test_a_cluster_scoped_object_with_a_namespaced_owner_is_left_alone() -> None:
    async with opened(GC) as world:
        top = await world.create(CONFIG_MAPS, "top", DEFAULT)
        await world.create(REALMS, "r", owners=[owner(top)])
        await world.of(CONFIG_MAPS, DEFAULT).delete("top")
        await settled(world)
        assert await world.get(REALMS, "r") is not None


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
async def test_a_circle_of_owners_goes_when_one_of_them_is_deleted(policy: str) -> None:
    async with opened(GC) as world:
        names = ("a", "b", "c")
        made = {name: await world.create(CONFIG_MAPS, name, DEFAULT) for name in names}
        for name, before in zip(names, ("c", "a", "b"), strict=True):
            latest = await world.of(CONFIG_MAPS, DEFAULT).get(name)
            latest["metadata"]["ownerReferences"] = [owner(made[before], blocks=True)]
            await world.of(CONFIG_MAPS, DEFAULT).update(latest)
        await world.of(CONFIG_MAPS, DEFAULT).delete("a", propagation_policy=policy)
        for name in names:
            await world.gone(CONFIG_MAPS, name, DEFAULT)


async def test_what_happened_while_nobody_looked_is_made_up_for(tmp_path: Path) -> None:
    storage = StorageOptions(kind=StorageKind.SQLITE, data_dir=tmp_path)
    async with opened(storage=storage) as world:
        for policy in ("Background", "Foreground", "Orphan"):
            top = await world.create(CONFIG_MAPS, policy.lower(), DEFAULT)
            await world.create(SECRETS, policy.lower(), DEFAULT, owners=[owner(top, blocks=True)])
            await world.of(CONFIG_MAPS, DEFAULT).delete(policy.lower(), propagation_policy=policy)
        assert len((await world.of(SECRETS).list())["items"]) == 3
    async with opened(GC, storage=storage) as world:
        await world.gone(SECRETS, "background", DEFAULT)
        await world.gone(SECRETS, "foreground", DEFAULT)
        await world.gone(CONFIG_MAPS, "foreground", DEFAULT)
        await world.gone(CONFIG_MAPS, "orphan", DEFAULT)
        assert references(await world.get(SECRETS, "orphan", DEFAULT)) == []


async def test_a_kind_that_comes_later_is_collected_too_and_decides_about_those_that_waited_for_it() -> None:
    async with opened() as world:
        hiding = Hiding(world.client, LATECOMERS.group)
        async with running(world, GC, client=Client(hiding)):
            ghost = {"apiVersion": "late.example.com/v1", "kind": "Latecomer", "name": "ghost", "uid": "u"}
            await world.create(SECRETS, "of-ghost", DEFAULT, owners=[ghost])
            await settled(world)
            assert await world.get(SECRETS, "of-ghost", DEFAULT) is not None
            hiding.revealed = True
            await world.create(DEFINITIONS, "latecomers.late.example.com", spec=DEFINITION)
            await world.gone(SECRETS, "of-ghost", DEFAULT)
            top = await world.create(LATECOMERS, "top", DEFAULT)
            await world.create(SECRETS, "of-top", DEFAULT, owners=[owner(top)])
            await world.of(LATECOMERS, DEFAULT).delete("top")
            await world.gone(SECRETS, "of-top", DEFAULT)


async def test_many_dependents_go_quickly() -> None:
    async with opened() as world:
        top = await world.create(CONFIG_MAPS, "top", DEFAULT)
        for number in range(300):
            await world.create(SECRETS, f"s{number}", DEFAULT, owners=[owner(top)])
        async with running(world, GC):
            await settled(world)
            await world.of(CONFIG_MAPS, DEFAULT).delete("top")
            async with asyncio.timeout(30):
                for number in range(300):
                    await world.gone(SECRETS, f"s{number}", DEFAULT)


def _is_going(obj: JSONObject | None) -> bool:
    assert obj is not None
    return "deletionTimestamp" in obj["metadata"]


async def _version_of_deletion(world: World, kind: GroupVersionResource, since: str) -> int:
    async with asyncio.timeout(30), world.of(kind, DEFAULT).watch(ListOptions(resource_version=since)) as stream:
        async for event in stream:
            if event.type == "DELETED":
                return int(event.resource_version)
    raise AssertionError("the watch ended")
