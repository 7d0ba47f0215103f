"""Versions: one object, seen from each of them, stored in one."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

from localplane.apimachinery.groups import GroupVersion
from localplane.apiserver.resource import APIGroup, Column, Resource, Version
from tests.integration.api.talk import API, named
from tests.integration.api.toys import NEW_SHIRTS, OLD_SHIRTS, V1, V1ALPHA1, WARDROBE, shirt_from_hub, shirt_to_hub

SHIRTS = WARDROBE.resources[0]
OLD, NEW = "wardrobe.example.com/v1alpha1", "wardrobe.example.com/v1"


async def stored(api: API) -> dict[str, Any]:
    found = await api.backend.get("/registry/wardrobe.example.com/shirts/default/a")
    assert found.kv is not None
    value: dict[str, Any] = json.loads(found.kv.value)
    return value


def shirt(**spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "spec": spec}


async def test_what_is_written_in_one_version_is_read_in_another(api: API) -> None:
    created = await api.post(OLD_SHIRTS, shirt(size="41x71"))
    assert (created.body["apiVersion"], created.body["spec"]) == (OLD, {"size": "41x71"})
    seen = await api.get(f"{NEW_SHIRTS}/a")
    assert (seen.body["apiVersion"], seen.body["spec"]) == (NEW, {"width": 41, "length": 71})
    for field in ("uid", "resourceVersion", "creationTimestamp"):
        assert seen.body["metadata"][field] == created.body["metadata"][field]


async def test_the_store_holds_one_version_whatever_was_written(api: API) -> None:
    await api.post(OLD_SHIRTS, shirt(size="41x71"))
    held = await stored(api)
    assert (held["apiVersion"], held["spec"]) == (NEW, {"width": 41, "length": 71})
    assert "resourceVersion" not in held["metadata"]
    await api.merge(f"{OLD_SHIRTS}/a", {"spec": {"size": "1x2"}})
    held = await stored(api)
    assert (held["apiVersion"], held["spec"]) == (NEW, {"width": 1, "length": 2})


async def test_defaults_are_those_of_the_version_that_is_written(api: API) -> None:
    await api.post(OLD_SHIRTS, shirt())
    assert (await api.get(f"{NEW_SHIRTS}/a")).body["spec"] == {"width": 40, "length": 70}
    await api.delete(f"{NEW_SHIRTS}/a")
    await api.post(NEW_SHIRTS, shirt(width=1))
    assert (await api.get(f"{NEW_SHIRTS}/a")).body["spec"] == {"width": 1, "fabric": "cotton"}


async def test_lists_and_watches_are_in_the_version_of_their_url(api: API) -> None:
    await api.post(NEW_SHIRTS, shirt(width=40, length=70))
    old = (await api.get(OLD_SHIRTS)).body
    assert (old["apiVersion"], old["kind"], old["items"][0]["spec"]) == (OLD, "ShirtList", {"size": "40x70"})
    assert "apiVersion" not in old["items"][0]
    watch = await api.watch(f"{OLD_SHIRTS}?watch=1&allowWatchBookmarks=true")
    added, end = await watch.take(2)
    assert (added["object"]["apiVersion"], added["object"]["spec"]) == (OLD, {"size": "40x70"})
    assert end["object"]["apiVersion"] == OLD
    await api.delete(f"{NEW_SHIRTS}/a")
    gone = await watch.next()
    assert (named(gone), gone["object"]["spec"]) == (("DELETED", "a"), {"size": "40x70"})
    await watch.close()


async def test_a_conversion_that_changes_what_it_gets_changes_nobody_elses_object(api: API) -> None:
    await api.post(NEW_SHIRTS, shirt(width=40, length=70))
    urls = [f"{OLD_SHIRTS}/a", f"{NEW_SHIRTS}/a", OLD_SHIRTS, NEW_SHIRTS] * 5
    first = {url: (await api.get(url)).data for url in urls[:4]}
    replies = await asyncio.gather(*(api.get(url) for url in urls))
    assert [reply.data for reply in replies] == [first[url] for url in urls]
    await api.merge(f"{OLD_SHIRTS}/a", {"metadata": {"labels": {"a": "b"}}})
    assert (await stored(api))["spec"] == {"width": 40, "length": 70}


async def test_an_object_of_an_earlier_storage_version_is_still_read(api: API) -> None:
    """What is stored says itself in which version it is."""
    await api.post(NEW_SHIRTS, shirt(width=40, length=70))
    before = (await api.get(f"{OLD_SHIRTS}/a")).body
    api.installer.install(APIGroup(WARDROBE.name, [replace(SHIRTS, storage_version="v1alpha1")]))
    assert (await api.get(f"{OLD_SHIRTS}/a")).body == before
    assert (await api.get(f"{NEW_SHIRTS}/a")).body["spec"]["width"] == 40
    assert (await stored(api))["apiVersion"] == NEW
    await api.merge(f"{NEW_SHIRTS}/a", {"spec": {"width": 41}})
    held = await stored(api)
    assert (held["apiVersion"], held["spec"]) == (OLD, {"size": "41x70"})
    assert (await api.get(NEW_SHIRTS)).body["items"][0]["spec"]["width"] == 41


async def test_a_group_that_is_declared_anew_is_shown_anew(api: API) -> None:
    """Nothing that was worked out under the old declaration is shown under the new one."""
    await api.post(NEW_SHIRTS, shirt(width=40, length=70))
    assert (await api.get(f"{OLD_SHIRTS}/a")).body["spec"] == {"size": "40x70"}

    def shouting(obj: dict[str, Any]) -> dict[str, Any]:
        obj = shirt_from_hub(obj)
        obj["spec"]["size"] = obj["spec"]["size"].upper()
        return obj

    changed = Version("v1alpha1", V1ALPHA1.schema, to_hub=shirt_to_hub, from_hub=shouting)
    api.installer.install(APIGroup(WARDROBE.name, [replace(SHIRTS, versions=[changed, V1])]))
    assert (await api.get(f"{OLD_SHIRTS}/a")).body["spec"] == {"size": "40X70"}
    assert (await api.get(OLD_SHIRTS)).body["items"][0]["spec"] == {"size": "40X70"}


async def test_columns_are_those_of_the_version(api: API) -> None:
    old = replace(V1ALPHA1, columns=[Column("Size", lambda obj: obj["spec"]["size"])])
    new = replace(V1, columns=[Column("Width", lambda obj: obj["spec"]["width"])])
    api.installer.install(APIGroup(WARDROBE.name, [replace(SHIRTS, versions=[old, new])]))
    await api.post(NEW_SHIRTS, shirt(width=40, length=70))
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    assert (await api.get(OLD_SHIRTS, accept=accept)).body["rows"][0]["cells"] == ["a", "40x70"]
    assert (await api.get(NEW_SHIRTS, accept=accept)).body["rows"][0]["cells"] == ["a", 40]


async def test_a_version_that_is_not_served_is_not_there(api: API) -> None:
    unserved = replace(V1ALPHA1, served=False)
    api.installer.install(APIGroup(WARDROBE.name, [replace(SHIRTS, versions=[unserved, V1])]))
    assert (await api.get(OLD_SHIRTS)).error[:2] == (404, "NotFound")
    assert (await api.get(NEW_SHIRTS)).status == 200


async def test_a_deprecated_version_says_so(api: API) -> None:
    told = replace(V1ALPHA1, deprecated=True, deprecation_warning="use v1, please")
    api.installer.install(APIGroup(WARDROBE.name, [replace(SHIRTS, versions=[told, V1])]))
    assert (await api.get(OLD_SHIRTS)).warnings == ['299 - "use v1, please"']
    assert (await api.get(f"{OLD_SHIRTS}/none")).warnings == ['299 - "use v1, please"']
    assert (await api.get(NEW_SHIRTS)).warnings == []
    untold = replace(told, deprecation_warning="")
    api.installer.install(APIGroup(WARDROBE.name, [replace(SHIRTS, versions=[untold, V1])]))
    assert (await api.get(OLD_SHIRTS)).warnings == ['299 - "wardrobe.example.com/v1alpha1 Shirt is deprecated"']


async def test_what_no_version_can_read_is_told_and_not_guessed(api: API) -> None:
    value = json.dumps({"kind": "Shirt", "apiVersion": "wardrobe.example.com/v9", "metadata": {"name": "a"}})
    await api.backend.put("/registry/wardrobe.example.com/shirts/default/a", value.encode(), expected=0)
    refused = await api.get(f"{NEW_SHIRTS}/a")
    assert refused.error == (
        500,
        "InternalError",
        'Internal error occurred: no kind "Shirt" is registered for version "wardrobe.example.com/v9"',
    )


async def test_a_watch_that_meets_what_it_cannot_show_says_so_and_ends(api: API) -> None:
    await api.post(NEW_SHIRTS, shirt(width=1) | {"metadata": {"name": "0"}})
    value = json.dumps({"kind": "Shirt", "apiVersion": "wardrobe.example.com/v9", "metadata": {"name": "a"}})
    await api.backend.put("/registry/wardrobe.example.com/shirts/default/a", value.encode(), expected=0)
    watch = await api.watch(f"{OLD_SHIRTS}?watch=1")
    added, error = await watch.rest()
    assert named(added) == ("ADDED", "0")
    assert (error["type"], error["object"]["code"]) == ("ERROR", 500)


async def test_two_groups_may_serve_the_same_objects(api: API) -> None:
    """As events, which are in two groups for reasons of history."""
    here = Resource("shirts", "Shirt", [V1], storage_prefix="/shirts/")
    there = Resource(
        "shirts", "Shirt", [V1ALPHA1], storage_prefix="/shirts/", stored_by=GroupVersion("here.example.com", "v1")
    )
    api.installer.install(APIGroup("here.example.com", [here]))
    api.installer.install(APIGroup("there.example.com", [there]))
    ours = "/apis/here.example.com/v1/namespaces/default/shirts"
    theirs = "/apis/there.example.com/v1alpha1/namespaces/default/shirts"
    created = await api.post(theirs, shirt(size="1x2"))
    assert (created.status, created.body["apiVersion"]) == (201, "there.example.com/v1alpha1")
    found = await api.backend.get("/registry/shirts/default/a")
    assert found.kv is not None
    assert b'"apiVersion":"here.example.com/v1"' in found.kv.value
    seen = (await api.get(f"{ours}/a")).body
    assert (seen["apiVersion"], seen["spec"]) == ("here.example.com/v1", {"width": 1, "length": 2})
    await api.merge(f"{ours}/a", {"spec": {"width": 3}})
    for url in (f"{theirs}/a", theirs):
        shown = (await api.get(url)).body
        assert shown["apiVersion"] == "there.example.com/v1alpha1"
        assert shown.get("items", [shown])[0]["spec"] == {"size": "3x2"}


async def test_the_best_version_is_stored_unless_another_is_named(api: API) -> None:
    assert Resource("shirts", "Shirt", [V1ALPHA1, V1]).stored_as == "v1"
    assert Resource("shirts", "Shirt", [V1, V1ALPHA1], storage_version="v1alpha1").stored_as == "v1alpha1"
