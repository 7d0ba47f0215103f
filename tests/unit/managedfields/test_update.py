"""Who owns what after creates, updates and patches: answers recorded from Kubernetes, made smaller."""

from __future__ import annotations

import copy
from typing import Annotated, Any

import pytest

from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.managedfields import FieldManager
from localplane.apimachinery.schema import Field, Schema, Time
from tests.unit.managedfields.kinds import (
    FIRST,
    SECOND,
    THIRD,
    config_map,
    config_maps,
    deployment,
    deployment_status,
    deployments,
    names,
    owned,
    stored,
    widget,
    widgets,
)


def created() -> dict[str, Any]:
    obj = stored(config_map({"k": "v"}, labels={"q": "r"}))
    return config_maps.update(None, obj, manager="my-tool", now=FIRST)


def test_who_creates_an_object_owns_what_is_in_it() -> None:
    assert created()["metadata"]["managedFields"] == [
        {
            "manager": "my-tool",
            "operation": "Update",
            "apiVersion": "v1",
            "time": FIRST,
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {".": {}, "f:k": {}}, "f:metadata": {"f:labels": {".": {}, "f:q": {}}}},
        }
    ]


def test_another_owns_only_what_it_added() -> None:
    live = created()
    new = config_maps.update(live, {**live, "data": {"k": "v", "l": "w"}}, manager="second", now=SECOND)
    assert owned(new)["second"] == {"f:data": {"f:l": {}}}
    assert owned(new)["my-tool"] == owned(live)["my-tool"]


def test_a_changed_field_moves_and_a_removed_one_is_owned_by_nobody() -> None:
    live = created()
    live = config_maps.update(live, {**live, "data": {"k": "v", "l": "w"}}, manager="second", now=SECOND)
    new = config_maps.update(live, {**live, "data": {"k": "changed"}}, manager="third", now=THIRD)
    assert owned(new) == {
        "my-tool": {"f:data": {}, "f:metadata": {"f:labels": {".": {}, "f:q": {}}}},
        "third": {"f:data": {"f:k": {}}},
    }


def test_items_of_sets_and_atomic_items_of_lists_have_their_own_owners() -> None:
    live = created()
    reference = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "aaaa"}
    metadata = {**live["metadata"], "finalizers": ["x.io/f"], "ownerReferences": [reference]}
    new = config_maps.update(live, {**live, "metadata": metadata}, manager="fifth", now=SECOND)
    assert owned(new)["fifth"] == {
        "f:metadata": {
            "f:finalizers": {".": {}, 'v:"x.io/f"': {}},
            "f:ownerReferences": {".": {}, 'k:{"uid":"aaaa"}': {}},
        }
    }


def test_the_structs_that_go_always_writes_are_owned_by_nobody() -> None:
    obj = deployment([{"name": "c", "image": "i", "resources": {}}], selector={"matchLabels": {"a": "b"}}, replicas=1)
    new = deployments.update(None, {**obj, "status": {}}, manager="creator", now=FIRST)
    assert owned(new)["creator"] == {
        "f:spec": {
            "f:replicas": {},
            "f:selector": {},
            "f:template": {
                "f:spec": {
                    "f:containers": {'k:{"name":"c"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {}}},
                },
            },
        }
    }


def test_who_creates_a_custom_resource_owns_its_spec_as_well() -> None:
    new = widgets.update(None, widget(size=1), manager="creator", now=FIRST)
    assert owned(new)["creator"] == {"f:spec": {".": {}, "f:size": {}}}


def test_what_nobody_declared_is_owned_by_field_as_far_as_there_are_maps() -> None:
    new = widgets.update(None, widget(free={"a": {"b": 1}, "l": [{"c": 2}], "e": {}}), manager="m", now=FIRST)
    assert owned(new)["m"]["f:spec"]["f:free"] == {".": {}, "f:a": {".": {}, "f:b": {}}, "f:e": {}, "f:l": {}}


def test_keys_take_their_defaults() -> None:
    new = deployments.update(
        None, deployment([{"name": "c", "ports": [{"containerPort": 80}]}]), manager="m", now=FIRST
    )
    ports = owned(new)["m"]["f:spec"]["f:template"]["f:spec"]["f:containers"]['k:{"name":"c"}']["f:ports"]
    assert list(ports) == [".", 'k:{"containerPort":80,"protocol":"TCP"}']


def test_the_status_is_reset_on_the_resource_and_the_spec_on_its_status() -> None:
    live = stored({**deployment([{"name": "c"}], replicas=1), "status": {"replicas": 1}})
    live = deployments.update(None, live, manager="creator", now=FIRST)
    assert "f:status" not in owned(live)["creator"]
    new = copy.deepcopy(live)
    new["spec"]["replicas"] = new["status"]["replicas"] = 7
    new = deployment_status.update(live, new, manager="kubelet", now=SECOND)
    assert owned(new)["creator"] == owned(live)["creator"]
    assert new["metadata"]["managedFields"][1] == {
        "manager": "kubelet",
        "operation": "Update",
        "apiVersion": "apps/v1",
        "time": SECOND,
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:status": {"f:replicas": {}}},
        "subresource": "status",
    }


def test_an_update_that_changes_nothing_keeps_the_time() -> None:
    live = created()
    new = config_maps.update(live, copy.deepcopy(live), manager="my-tool", now=SECOND)
    assert new == live


def test_the_same_manager_has_one_entry_with_its_latest_time() -> None:
    live = created()
    new = config_maps.update(live, {**live, "data": {"k": "v", "l": "w"}}, manager="my-tool", now=SECOND)
    (entry,) = new["metadata"]["managedFields"]
    assert entry["time"] == SECOND
    assert list(entry["fieldsV1"]["f:data"]) == [".", "f:k", "f:l"]


def test_an_eleventh_updater_makes_the_oldest_two_one() -> None:
    live = created()
    for number in range(10):
        now = f"2026-01-01T00:01:{number:02}Z"
        data = {**live["data"], f"k{number}": "v"}
        live = config_maps.update(live, {**live, "data": data}, manager=f"u{number}", now=now)
    assert names(live) == ["ancient-changes", *(f"u{number}" for number in range(1, 10))]
    assert owned(live)["ancient-changes"]["f:data"] == {".": {}, "f:k": {}, "f:k0": {}}


def test_a_manager_without_a_name_is_unknown() -> None:
    assert names(config_maps.update(None, config_map({"k": "v"}), manager="", now=FIRST)) == ["unknown"]


def test_true_and_one_are_different_values() -> None:
    live = stored(widgets.update(None, widget(anything=[1]), manager="a", now=FIRST))
    new = widgets.update(live, {**live, "spec": {"anything": [True]}}, manager="b", now=SECOND)
    assert owned(new)["b"] == {"f:spec": {"f:anything": {}}}
    same = widgets.update(live, {**live, "spec": {"anything": [1.0]}}, manager="b", now=SECOND)
    assert "b" not in owned(same)


@pytest.mark.parametrize("sent", [[], [{}]])
def test_an_empty_entry_forgets_all_managers(sent: list[Any]) -> None:
    live = created()
    new = config_map({"k": "v"}, uid="u", managedFields=sent)
    assert "managedFields" not in config_maps.update(live, new, manager="p", now=SECOND)["metadata"]


@pytest.mark.parametrize("sent", [None, [{"manager": "x"}], [{"operation": "Update", "apiVersion": "v1"}]])
def test_managers_that_can_not_be_read_are_those_of_the_live_object(sent: Any) -> None:
    live = created()
    new = {**live, "metadata": {**live["metadata"], "managedFields": sent}}
    assert config_maps.update(live, new, manager="p", now=SECOND) == live


def test_a_client_may_edit_the_managers_but_not_through_a_subresource() -> None:
    live = created()
    edited = [{**live["metadata"]["managedFields"][0], "manager": "renamed"}]
    new = {**live, "metadata": {**live["metadata"], "managedFields": edited}}
    assert names(config_maps.update(live, new, manager="p", now=SECOND)) == ["renamed"]
    live = deployments.update(None, stored(deployment([{"name": "c"}])), manager="creator", now=FIRST)
    edited = [{**live["metadata"]["managedFields"][0], "manager": "renamed"}]
    new = {**live, "metadata": {**live["metadata"], "managedFields": edited}}
    assert names(deployment_status.update(live, new, manager="p", now=SECOND)) == ["creator"]


def test_an_object_without_managers_is_not_tracked_by_updates() -> None:
    live = stored(config_map({"k": "v"}))
    assert "managedFields" not in config_maps.update(live, {**live, "data": {}}, manager="p", now=FIRST)["metadata"]


def test_items_that_share_a_key_are_one_thing() -> None:
    twice = widget(parts=[{"name": "a", "n": 1}, {"name": "a", "n": 2}])
    live = stored(widgets.update(None, twice, manager="m", now=FIRST))
    assert owned(live)["m"]["f:spec"]["f:parts"] == {".": {}, 'k:{"name":"a"}': {}}
    once = {**live, "spec": {"parts": [{"name": "a", "n": 2}]}}
    new = widgets.update(live, once, manager="n", now=SECOND)
    assert owned(new)["m"]["f:spec"]["f:parts"] == {}
    assert owned(new)["n"]["f:spec"]["f:parts"] == {'k:{"name":"a"}': {".": {}, "f:n": {}, "f:name": {}}}


def test_an_item_without_a_key_leaves_the_managers_as_they_were() -> None:
    live = stored(widgets.update(None, widget(size=1), manager="m", now=FIRST))
    new = widgets.update(live, {**live, "spec": {"parts": [{"n": 1}]}}, manager="n", now=SECOND)
    assert new["metadata"] == live["metadata"]


def test_what_became_atomic_is_owned_as_a_whole() -> None:
    live = stored(widgets.update(None, widget(whole={"a": "1"}, size=1), manager="m", now=FIRST))
    live["metadata"]["managedFields"][0]["fieldsV1"]["f:spec"]["f:whole"] = {".": {}, "f:a": {}}
    new = widgets.update(live, {**live, "spec": {**live["spec"], "size": 2}}, manager="n", now=SECOND)
    assert owned(new)["m"] == {"f:spec": {".": {}, "f:whole": {}}}


def test_a_value_nested_beyond_all_measure_is_no_crash() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    new = widgets.update(None, widget(free=deep), manager="m", now=FIRST)
    assert "managedFields" not in new["metadata"]


def test_no_object_that_is_given_is_changed() -> None:
    live, new = created(), config_map({"k": "changed"}, uid="u")
    before = copy.deepcopy((live, new))
    config_maps.update(live, new, manager="x", now=SECOND)
    assert (live, new) == before


class Sighting:
    type: str
    since: Time | None = None


class Sightings:
    seen: Annotated[list[Sighting] | None, Field(list_type="map", list_map_keys=["type"])] = None


def test_who_adds_an_item_owns_the_fields_that_it_shows_without_having_them() -> None:
    """Go writes a time that nobody set as null, and so it is a field of the item."""
    schema = Schema.of(Sightings)
    item = schema.node.properties["seen"].node.items
    assert item is not None
    item.properties["since"].emit = "null"
    manager = FieldManager(schema, GroupVersion("e.io", "v1"), "Sightings")
    obj = {"apiVersion": "e.io/v1", "kind": "Sightings", "metadata": {"name": "a"}, "seen": [{"type": "Bird"}]}
    added: dict[str, Any] = {".": {}, 'k:{"type":"Bird"}': {".": {}, "f:since": {}, "f:type": {}}}
    assert owned(manager.update(None, obj, manager="m", now=FIRST))["m"] == {"f:seen": added}
