"""Managers of other versions."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.managedfields import ApplyConflict, FieldManager, MissingVersion
from localplane.apimachinery.schema import Schema
from tests.unit.managedfields.kinds import FIRST, SECOND, names, owned, stored


def schema(name: str) -> Schema:
    fields = {name: {"type": "string"}, "other": {"type": "string"}}
    return Schema.of({"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}})


class Renamed:
    """Between v1 and v2, spec.old became spec.new."""

    def schema(self, api_version: str) -> Schema:
        if api_version not in ("e.io/v1", "e.io/v2"):
            raise MissingVersion(api_version)
        return schema("old" if api_version == "e.io/v1" else "new")

    def convert(self, obj: dict[str, Any], api_version: str) -> dict[str, Any]:
        before, after = ("new", "old") if api_version == "e.io/v1" else ("old", "new")
        spec = {after if name == before else name: value for name, value in (obj.get("spec") or {}).items()}
        return {**obj, "apiVersion": api_version, "spec": spec}


v1 = FieldManager(schema("old"), GroupVersion("e.io", "v1"), "K", converter=Renamed())
v2 = FieldManager(schema("new"), GroupVersion("e.io", "v2"), "K", converter=Renamed())
alone = FieldManager(schema("new"), GroupVersion("e.io", "v2"), "K")


def obj(version: str, **spec: str) -> dict[str, Any]:
    return {"apiVersion": f"e.io/{version}", "kind": "K", "metadata": {"name": "k"}, "spec": spec}


def in_v2(live: dict[str, Any]) -> dict[str, Any]:
    return Renamed().convert(live, "e.io/v2")


def test_a_field_is_taken_from_a_manager_of_another_version() -> None:
    live = in_v2(stored(v1.update(None, obj("v1", old="x", other="y"), manager="a", now=FIRST)))
    new = v2.update(live, {**live, "spec": {"new": "changed", "other": "y"}}, manager="b", now=SECOND)
    assert owned(new) == {"a": {"f:spec": {".": {}, "f:other": {}}}, "b": {"f:spec": {"f:new": {}}}}


def test_conflicts_name_the_field_as_its_owner_knows_it() -> None:
    live = in_v2(stored(v1.apply(None, obj("v1", old="x"), manager="a", force=False, now=FIRST).object))
    with pytest.raises(ApplyConflict) as raised:
        v2.apply(live, obj("v2", new="z"), manager="b", force=False, now=SECOND)
    assert raised.value.causes[0].field == ".spec.old"


def test_what_was_applied_in_another_version_is_removed_in_this_one() -> None:
    config = obj("v1", old="x", other="y")
    live = in_v2(stored(v1.apply(None, config, manager="a", force=False, now=FIRST).object))
    new = v2.apply(live, obj("v2", other="y"), manager="a", force=False, now=SECOND).object
    assert new["spec"] == {"other": "y"}
    assert new["apiVersion"] == "e.io/v2"
    (entry,) = new["metadata"]["managedFields"]
    assert (entry["apiVersion"], entry["fieldsV1"]) == ("e.io/v2", {"f:spec": {"f:other": {}}})


def test_managers_of_a_version_that_is_gone_are_forgotten() -> None:
    live = stored(v1.update(None, obj("v1", other="y"), manager="a", now=FIRST))
    live["apiVersion"] = "e.io/v2"
    new = alone.update(live, {**live, "spec": {"other": "z"}}, manager="b", now=SECOND)
    assert names(new) == ["b"]
