"""The versions of a custom resource: each sees what it knows of the same objects."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import Invalid
from localplane.client import PatchType
from localplane.client.rest.options import ListOptions
from localplane.compose.server import Plane
from tests.integration.apiextensions.definitions import DEFINITIONS, custom, definition, of_spec, version, widgets

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = {"type": "string"}


async def test_a_version_shows_and_keeps_only_what_it_knows(plane: Plane) -> None:
    group = "shapes.example.com"
    both, one = of_spec(a=TEXT, b=TEXT), of_spec(a=TEXT)
    await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", both), version("v1beta1", one)))
    new, old = widgets(plane.client, group), widgets(plane.client, group, "v1beta1")
    await new.create(custom(group, "w", {"a": "1", "b": "2"}))
    assert (await old.get("w"))["spec"] == {"a": "1"}
    assert [each["spec"] for each in (await old.list())["items"]] == [{"a": "1"}]
    await old.patch("w", {"spec": {"a": "9"}}, PatchType.MERGE)
    assert (await new.get("w"))["spec"] == {"a": "9"}
    assert (await new.get("w"))["apiVersion"] == f"{group}/v1"


async def test_every_version_judges_by_its_own_schema(plane: Plane) -> None:
    group = "judges.example.com"
    low, high = of_spec(n={"type": "integer", "maximum": 5}), of_spec(n={"type": "integer"})
    await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", high), version("v2", low)))
    await widgets(plane.client, group).create(custom(group, "w", {"n": 10}))
    with pytest.raises(Invalid):
        await widgets(plane.client, group, "v2").create(custom(group, "x", {"n": 10}, in_version="v2"))
    again = await widgets(plane.client, group, "v2").patch("w", {"metadata": {"labels": {"a": "b"}}}, PatchType.MERGE)
    assert again["spec"] == {"n": 10}, "what was wrong before and is untouched is forgiven"


async def test_a_new_storage_version_joins_the_stored_ones_and_old_objects_are_read(plane: Plane) -> None:
    group, definitions = "moves.example.com", plane.client.resource(DEFINITIONS)
    await definitions.create(definition(group, version("v1"), version("v2")))
    await widgets(plane.client, group).create(custom(group, "w", {"a": "1"}))
    flip: Any = [
        {"op": "replace", "path": "/spec/versions/0/storage", "value": False},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": True},
    ]
    changed = await definitions.patch(f"widgets.{group}", flip, PatchType.JSON)
    assert changed["status"]["storedVersions"] == ["v1", "v2"]
    assert (await widgets(plane.client, group, "v2").get("w"))["spec"] == {"a": "1"}
    await widgets(plane.client, group).patch("w", {"spec": {"a": "2"}}, PatchType.MERGE)
    assert (await widgets(plane.client, group, "v2").get("w"))["spec"] == {"a": "2"}


async def test_objects_are_selected_by_the_fields_that_their_version_names(plane: Plane) -> None:
    group = "picked.example.com"
    schema = of_spec(color={"type": "string", "default": "red"}, on={"type": "boolean"})
    fields = [{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.on"}]
    picked = version("v1", schema, selectableFields=fields)
    await plane.client.resource(DEFINITIONS).create(definition(group, picked))
    there = widgets(plane.client, group)
    await there.create(custom(group, "a", {"on": True}))
    await there.create(custom(group, "b", {"color": "blue"}))

    async def names(selector: str) -> list[str]:
        found = await there.list(ListOptions(field_selector=selector))
        return [each["metadata"]["name"] for each in found["items"]]

    assert await names("spec.color=red") == ["a"]
    assert await names("spec.on=true,spec.color!=blue") == ["a"]
    assert await names("spec.on=") == ["b"]
