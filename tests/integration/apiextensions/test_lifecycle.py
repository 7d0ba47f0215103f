"""A definition is served when its writer gets the answer, and what it defined goes with it."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apimachinery.errors import Forbidden, NotFound
from localplane.client import GroupVersionResource, PatchType
from localplane.client.rest.options import ListOptions
from localplane.compose.server import Plane
from tests.integration.apiextensions.definitions import (
    API_SERVICES,
    DEFINITIONS,
    conditions,
    custom,
    definition,
    eventually,
    of_spec,
    version,
    widgets,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_the_first_object_can_be_made_as_soon_as_the_definition_is(plane: Plane) -> None:
    definitions, group = plane.client.resource(DEFINITIONS), "first.example.com"
    made = await definitions.create(definition(group))
    await widgets(plane.client, group).create(custom(group, "a"))
    assert made["status"]["storedVersions"] == ["v1"]
    assert conditions(await definitions.get(f"widgets.{group}")) == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }


async def test_discovery_and_documents_tell_of_it_at_once_and_of_its_schema_as_it_changes(plane: Plane) -> None:
    definitions, group = plane.client.resource(DEFINITIONS), "told.example.com"
    await definitions.create(definition(group, version("v1", of_spec(a={"type": "string"})), shortNames=["wd"]))
    found = {each.resource: each for each in (await plane.client.discovery().discover()).resources()}
    told = found[GroupVersionResource(group, "v1", "widgets")]
    assert (told.kind.kind, told.singular, told.short_names) == ("Widget", "widget", ("wd",))
    index = (await plane.client.request("GET", "/openapi/v3")).json()["paths"]
    change = [
        {
            "op": "add",
            "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b",
            "value": {"type": "integer"},
        }
    ]
    await definitions.patch(f"widgets.{group}", change, PatchType.JSON)
    document = (await plane.client.request("GET", f"/openapi/v3/apis/{group}/v1")).json()
    schema = document["components"]["schemas"]["com.example.told.v1.Widget"]
    assert schema["properties"]["spec"]["properties"].keys() == {"a", "b"}
    changed = (await plane.client.request("GET", "/openapi/v3")).json()["paths"]
    assert changed[f"apis/{group}/v1"] != index[f"apis/{group}/v1"]


async def test_aggregated_discovery_names_group_and_version_of_what_a_definition_makes(plane: Plane) -> None:
    group, scale = "spelled.example.com", {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}
    made = definition(group, version("v1", subresources={"scale": scale, "status": {}}))
    await plane.client.resource(DEFINITIONS).create(made)
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    items = (await plane.client.request("GET", "/apis", headers=[("Accept", accept)])).json()["items"]
    (found,) = (each for each in items if each["metadata"]["name"] == group)
    (resource,) = found["versions"][0]["resources"]
    own = {"group": group, "version": "v1", "kind": "Widget"}
    assert resource["responseKind"] == own
    assert {each["subresource"]: each["responseKind"] for each in resource["subresources"]} == {
        "status": own,
        "scale": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
    }
    assert [each["subresource"] for each in resource["subresources"]] == ["status", "scale"]
    document = (await plane.client.request("GET", f"/openapi/v3/apis/{group}/v1")).json()
    assert f"/apis/{group}/v1/" not in document["paths"]


async def test_an_api_service_comes_and_goes_with_each_version(plane: Plane) -> None:
    definitions, services = plane.client.resource(DEFINITIONS), plane.client.resource(API_SERVICES)
    group = "served.example.com"
    await definitions.create(definition(group, version("v1"), version("v2")))

    async def are_there() -> bool:
        names = {each["metadata"]["name"] for each in (await services.list())["items"]}
        return {f"v1.{group}", f"v2.{group}"} <= names

    async def are_gone() -> bool:
        return not any(each["metadata"]["name"].endswith(group) for each in (await services.list())["items"])

    await eventually(are_there)
    found = await services.get(f"v1.{group}")
    assert found["metadata"]["labels"] == {"kube-aggregator.kubernetes.io/automanaged": "true"}
    assert (found["spec"]["groupPriorityMinimum"], found["spec"]["versionPriority"]) == (1000, 100)
    await definitions.delete(f"widgets.{group}")
    await eventually(are_gone)


async def test_names_that_are_taken_are_waited_for(plane: Plane) -> None:
    definitions, group = plane.client.resource(DEFINITIONS), "names.example.com"
    await definitions.create(definition(group, shortNames=["wd"]))
    await definitions.create(definition(group, plural="others", kind="Other", shortNames=["wd"]))
    waiting = await definitions.get(f"others.{group}")
    assert conditions(waiting) == {
        "NamesAccepted": ("False", "ShortNamesConflict"),
        "Established": ("False", "NotAccepted"),
    }
    with pytest.raises(NotFound):
        await widgets(plane.client, group, plural="others").list()
    await definitions.delete(f"widgets.{group}")

    async def is_served() -> bool:
        return conditions(await definitions.get(f"others.{group}")).get("Established", ("", ""))[0] == "True"

    await eventually(is_served)
    assert (await widgets(plane.client, group, plural="others").list())["items"] == []


async def test_objects_go_before_their_definition_and_nothing_comes_meanwhile(plane: Plane) -> None:
    definitions, group = plane.client.resource(DEFINITIONS), "going.example.com"
    await definitions.create(definition(group))
    there = widgets(plane.client, group)
    held = custom(group, "held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    await there.create(held)
    await there.create(custom(group, "free"))
    marked = await definitions.delete(f"widgets.{group}")
    assert marked["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    assert conditions(marked)["Terminating"] == ("True", "InstanceDeletionPending")

    async def only_one_is_left() -> bool:
        return [each["metadata"]["name"] for each in (await there.list())["items"]] == ["held"]

    await eventually(only_one_is_left)
    assert conditions(await definitions.get(f"widgets.{group}"))["Terminating"] == (
        "True",
        "InstanceDeletionInProgress",
    )
    with pytest.raises(Forbidden, match="create not allowed while custom resource definition is terminating"):
        await there.create(custom(group, "late"))
    await there.patch("held", {"metadata": {"finalizers": None}}, PatchType.MERGE)

    async def is_gone() -> bool:
        try:
            await definitions.get(f"widgets.{group}")
        except NotFound:
            return True
        return False

    await eventually(is_gone)
    with pytest.raises(NotFound):
        await there.list()
    await definitions.create(definition(group))
    assert (await there.list())["items"] == []


async def test_a_definition_in_a_group_of_built_in_kinds_takes_nothing_from_them(plane: Plane) -> None:
    made = definition("networking.k8s.io", plural="moons")
    made["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, a test"}
    await plane.client.resource(DEFINITIONS).create(made)
    ingresses = plane.client.resource(GroupVersionResource("networking.k8s.io", "v1", "ingresses"), "default")
    assert (await ingresses.list())["kind"] == "IngressList"


async def test_what_another_writer_does_to_the_store_is_seen(plane: Plane) -> None:
    definitions, group = plane.client.resource(DEFINITIONS), "behind.example.com"
    await definitions.create(definition(group))
    served = plane.installer.served("apiextensions.k8s.io", ("v1", "customresourcedefinitions", ""))
    assert served is not None
    storage = served.definition.storage
    await storage.delete(f"/apiextensions.k8s.io/customresourcedefinitions/widgets.{group}")

    async def is_gone() -> bool:
        return not plane.installer.serves(group)

    await eventually(is_gone)


async def test_many_definitions_at_once_are_all_served(plane: Plane) -> None:
    definitions = plane.client.resource(DEFINITIONS)
    names = [f"many{number}s" for number in range(20)]
    await asyncio.gather(*(definitions.create(definition("crowd.example.com", plural=name)) for name in names))
    for name in names:
        assert (await widgets(plane.client, "crowd.example.com", plural=name).list())["items"] == []


async def test_a_watch_ends_when_the_definition_changes_and_goes_on_with_the_new_one(plane: Plane) -> None:
    definitions, group = plane.client.resource(DEFINITIONS), "ends.example.com"
    await definitions.create(definition(group, version("v1", of_spec(a={"type": "string"}))))
    there = widgets(plane.client, group)
    await there.create(custom(group, "w", {"a": "1"}))
    begin = (await there.list())["metadata"]["resourceVersion"]
    watch = there.watch(ListOptions(resource_version=begin))
    change = [
        {
            "op": "add",
            "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b",
            "value": {"type": "string", "default": "new"},
        }
    ]
    async with asyncio.timeout(30), watch as events:
        following = asyncio.create_task(anext(aiter(events), None))
        await definitions.patch(f"widgets.{group}", change, PatchType.JSON)
        assert await following is None
    await there.patch("w", {"spec": {"a": "2"}}, PatchType.MERGE)
    async with asyncio.timeout(30), there.watch(ListOptions(resource_version=begin)) as events:
        assert (await anext(aiter(events))).object["spec"] == {"a": "2", "b": "new"}
