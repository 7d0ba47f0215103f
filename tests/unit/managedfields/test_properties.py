"""What holds for all schemas and all objects."""

from __future__ import annotations

import copy
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.managedfields import ApplyConflict, FieldManager
from localplane.apimachinery.managedfields.comparison import Comparison, compare, fields_of
from localplane.apimachinery.managedfields.fieldset import difference, union
from localplane.apimachinery.managedfields.managers import Manager, ManagerEntry, decode, encode, stripped
from localplane.apimachinery.managedfields.merge import merge
from localplane.apimachinery.managedfields.removal import prune, remove
from localplane.apimachinery.managedfields.typed import Type, root_type
from localplane.apimachinery.managedfields.validation import faults, is_sound
from localplane.apimachinery.managedfields.values import differing
from localplane.apimachinery.managedfields.versions import OneVersion, Versions
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Schema
from tests.unit.managedfields.kinds import FIRST, SECOND, THIRD, owned, stored

NAMES = st.sampled_from(["a", "b", "c", "name"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2, width=16) | st.sampled_from(["", "a", '<"é']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
LEAVES: st.SearchStrategy[JSONObject] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "boolean"},
        {"x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        {"x-kubernetes-int-or-string": True},
        {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
    ]
)


def _containers(inner: st.SearchStrategy[JSONObject]) -> st.SearchStrategy[JSONObject]:
    objects = st.builds(
        lambda properties, atomic: {"type": "object", "properties": properties, "x-kubernetes-map-type": atomic},
        st.dictionaries(NAMES, inner, min_size=1, max_size=3),
        st.sampled_from(["granular", "granular", "atomic"]),
    )
    maps = inner.map(lambda values: {"type": "object", "additionalProperties": values})
    lists = inner.map(lambda items: {"type": "array", "items": items})
    keyed = st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2).map(
        lambda properties: {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "properties": {**properties, "name": {"type": "string"}}},
        }
    )
    return objects | maps | lists | keyed


SCHEMAS: st.SearchStrategy[JSONObject] = st.recursive(LEAVES, _containers, max_leaves=6)


def _values(schema: JSONObject) -> st.SearchStrategy[Any]:
    """Values that fit a schema; nothing has a key twice."""
    match schema.get("type"):
        case "string":
            return st.sampled_from(["x", "y", ""])
        case "integer":
            return st.integers(0, 2)
        case "boolean":
            return st.booleans()
        case "array" if schema.get("x-kubernetes-list-type") == "set":
            return st.lists(st.sampled_from("uvwxyz"), max_size=4, unique=True)
        case "array" if schema.get("x-kubernetes-list-type") == "map":
            item = _values(schema["items"])
            return st.dictionaries(st.sampled_from("klmn"), item, max_size=3).map(
                lambda items: [{**value, "name": name} for name, value in items.items()]
            )
        case "array":
            return st.lists(_values(schema["items"]), max_size=2)
        case "object" if "properties" in schema:
            return st.fixed_dictionaries({}, optional={n: _values(s) for n, s in schema["properties"].items()})
        case "object" if "additionalProperties" in schema:
            return st.dictionaries(NAMES, _values(schema["additionalProperties"]), max_size=3)
        case "object":
            return st.dictionaries(NAMES, JSON, max_size=3)
    return st.integers(0, 2) if schema.get("x-kubernetes-int-or-string") else JSON


def _object(spec: Any) -> JSONObject:
    return {"apiVersion": "e.io/v1", "kind": "K", "metadata": {"name": "k"}, "spec": spec}


@dataclass(frozen=True)
class Case:
    """A kind, by the schema of its spec, and some of its objects."""

    spec: JSONObject
    objects: list[JSONObject]

    @cached_property
    def schema(self) -> Schema:
        return Schema.of({"type": "object", "properties": {"spec": self.spec}})

    @cached_property
    def manager(self) -> FieldManager:
        return FieldManager(self.schema, GroupVersion("e.io", "v1"), "K")

    @cached_property
    def kind(self) -> Type:
        return root_type(self.schema)


@st.composite
def cases(draw: st.DrawFn, count: int = 2) -> Case:
    spec = draw(SCHEMAS)
    return Case(spec, [_object(draw(_values(spec))) for _ in range(count)])


@given(cases())
def test_to_apply_twice_is_to_apply_once(case: Case) -> None:
    manager = case.manager
    first, config = case.objects
    live = stored(manager.update(None, first, manager="u", now=FIRST))
    once = manager.apply(live, config, manager="m", force=True, now=SECOND).object
    twice = manager.apply(once, config, manager="m", force=False, now=THIRD)
    assert twice.object == once
    assert not twice.changed


@given(cases(count=3))
def test_a_manager_owns_exactly_what_it_last_applied(case: Case) -> None:
    manager, kind = case.manager, case.kind
    first, second, third = case.objects
    live = stored(manager.apply(None, first, manager="m", force=True, now=FIRST).object)
    live = manager.apply(live, second, manager="other", force=True, now=SECOND).object
    new = manager.apply(live, third, manager="m", force=True, now=THIRD).object
    assert owned(new).get("m", {}) == stripped(fields_of(kind, third))


@given(cases())
def test_what_is_the_same_in_both_makes_no_difference(case: Case) -> None:
    old, new = case.objects
    assert compare(case.kind, *differing(old, new)) == compare(case.kind, old, new)


@given(cases(), JSON)
def test_a_sound_configuration_is_one_without_faults(case: Case, spec: Any) -> None:
    for config in (*case.objects, _object(spec)):
        assert is_sound(case.kind, config) == (next(faults(case.kind, config), None) is None)


@given(cases())
def test_what_has_all_of_a_configuration_is_what_it_is_merged_into(case: Case) -> None:
    live, config = case.objects
    merged = merge(case.kind, live, config)
    assert merge(case.kind, merged, config) is merged


@given(cases())
def test_the_short_way_for_who_lets_go_of_nothing_is_right(case: Case) -> None:
    """The long way: what is removed and added back is nothing in the end.

    All that an object has is somebody's: what had no owner when it was first applied gets one.
    """
    live, config = case.objects
    versions = Versions("e.io/v1", case.kind, OneVersion())
    entry = ManagerEntry(stripped(fields_of(case.kind, config)), "e.io/v1")
    merged = versions.typed(merge(case.kind, live, config))
    before = ManagerEntry(stripped(fields_of(case.kind, live)), "e.io/v1")
    managed = {Manager("m", "Apply"): entry, Manager("before-first-apply", "Update"): before}
    assert prune(merged, managed, entry, ManagerEntry({}, "e.io/v1"), versions).value == merged.value
    assert prune(merged, managed, entry, entry, versions) is merged


def _substance(value: Any) -> Any:
    """Without what is empty: an empty list is owned by nobody, and what was emptied is null until it is decoded."""
    if isinstance(value, dict):
        kept = {name: _substance(item) for name, item in value.items()}
        return {name: item for name, item in kept.items() if item is not None} or None
    return [_substance(item) for item in value] or None if isinstance(value, list) else value


@given(cases())
def test_what_was_applied_is_there(case: Case) -> None:
    manager, kind = case.manager, case.kind
    first, config = case.objects
    live = stored(manager.apply(None, first, manager="m", force=True, now=FIRST).object)
    new = manager.apply(live, config, manager="m", force=True, now=SECOND).object
    changed = compare(kind, _substance(config), _substance(new))
    assert not stripped(changed.modified)
    assert not stripped(changed.removed)


@given(cases())
def test_a_conflict_is_raised_exactly_when_force_takes_something(case: Case) -> None:
    """What goes with a value that becomes one of another type is lost without a word."""
    manager, kind = case.manager, case.kind
    first, config = case.objects
    live = stored(manager.apply(None, first, manager="m", force=True, now=FIRST).object)
    forced = manager.apply(live, config, manager="n", force=True, now=SECOND).object
    took = difference(owned(live).get("m", {}), owned(forced).get("m", {}))
    if difference(took, compare(kind, live, forced).removed):
        with pytest.raises(ApplyConflict):
            manager.apply(live, config, manager="n", force=False, now=SECOND)
    else:
        assert manager.apply(live, config, manager="n", force=False, now=SECOND).object == forced


@given(cases())
def test_who_lets_go_of_all_leaves_nothing_behind(case: Case) -> None:
    manager, kind = case.manager, case.kind
    first, _ = case.objects
    assume(fields_of(kind, {"spec": first["spec"]}))  # an empty list is owned by nobody
    live = stored(manager.apply(None, first, manager="m", force=True, now=FIRST).object)
    nothing = {name: value for name, value in _object(None).items() if name != "spec"}
    new = manager.apply(live, nothing, manager="m", force=False, now=SECOND).object
    assert not new.get("spec")
    assert "managedFields" not in new["metadata"]


@given(cases())
def test_merging_is_idempotent(case: Case) -> None:
    kind = case.kind
    live, config = case.objects
    merged = merge(kind, live, config)
    assert merge(kind, merged, config) == merged
    assert merge(kind, live, live) == live


@given(cases())
def test_an_object_differs_from_another_in_what_is_added_removed_or_modified(
    case: Case,
) -> None:
    kind = case.kind
    old, new = case.objects
    assert compare(kind, new, copy.deepcopy(new)) == Comparison()
    there, back = compare(kind, old, new), compare(kind, new, old)
    assert (there.added, there.removed, there.modified) == (back.removed, back.added, back.modified)


@given(cases())
def test_nothing_is_removed_by_removing_nothing(case: Case) -> None:
    kind = case.kind
    first, _ = case.objects
    assert remove(kind, first, {}) == first


@given(cases(count=3))
def test_after_updates_everybody_together_owns_what_changed(
    case: Case,
) -> None:
    manager, kind = case.manager, case.kind
    first, second, third = case.objects
    live = stored(manager.update(None, first, manager="a", now=FIRST))
    for who, obj, now in (("b", second, SECOND), ("c", third, THIRD)):
        new = manager.update(live, stored(obj), manager=who, now=now)
        changed = compare(kind, first, obj)
        together: Any = {}
        for fields in owned(new).values():
            together = union(together, fields)
        assert not difference(stripped(union(changed.added, changed.modified)), together)
        entries = new["metadata"].get("managedFields", [])
        assert encode(decode(entries)) == entries
        live, first = new, obj


@given(SCHEMAS, JSON, JSON, JSON)
def test_any_json_at_all_is_managed_or_refused(schema: JSONObject, first: Any, second: Any, third: Any) -> None:
    compiled = Schema.of({"type": "object", "properties": {"spec": schema}})
    manager = FieldManager(compiled, GroupVersion("e.io", "v1"), "K")
    live = stored(manager.update(None, _object(first), manager="u", now=FIRST))
    live = manager.update(live, stored(_object(second)), manager="v", now=SECOND)
    with suppress(APIError):
        manager.apply(live, _object(third), manager="m", force=True, now=THIRD)


@given(JSON)
def test_managed_fields_of_any_shape_are_managed_or_refused(entries: Any) -> None:
    manager = FieldManager(Schema.of(None), GroupVersion("e.io", "v1"), "K")
    obj = _object({"a": 1})
    live = {**obj, "metadata": {"name": "k", "uid": "u", "managedFields": entries}}
    manager.update(live, {**obj, "metadata": {"managedFields": entries}}, manager="m", now=FIRST)
    with suppress(APIError):
        manager.apply(live, obj, manager="m", force=False, now=FIRST)
