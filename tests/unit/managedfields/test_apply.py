"""Server-side apply: answers recorded from Kubernetes, made smaller."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from localplane.apimachinery.errors import APIError, BadRequest
from localplane.apimachinery.managedfields import ApplyConflict, FieldManager, InvalidApply
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


def apply(
    live: dict[str, Any] | None,
    config: dict[str, Any],
    manager: str = "m1",
    *,
    force: bool = False,
    now: str = SECOND,
    by: FieldManager = config_maps,
) -> dict[str, Any]:
    found = by.apply(live, config, manager=manager, force=force, now=now).object
    return found if live else stored(found)


def containers(obj: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = obj["spec"]["template"]["spec"]["containers"]
    return found


def test_an_apply_creates() -> None:
    new = apply(None, config_map({"k": "v", "x": "y"}, labels={"l": "1"}), now=FIRST)
    assert new["data"] == {"k": "v", "x": "y"}
    assert new["metadata"]["managedFields"] == [
        {
            "manager": "m1",
            "operation": "Apply",
            "apiVersion": "v1",
            "time": FIRST,
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {"f:k": {}, "f:x": {}}, "f:metadata": {"f:labels": {"f:l": {}}}},
        }
    ]


def test_a_configuration_without_fields_has_no_manager() -> None:
    assert names(apply(None, config_map(resourceVersion="1"))) == []


def test_the_same_again_changes_nothing() -> None:
    live = apply(None, config_map({"k": "v"}), now=FIRST)
    again = config_maps.apply(live, config_map({"k": "v"}), manager="m1", force=False, now=SECOND)
    assert again.object == live
    assert not again.changed


def test_what_is_no_longer_listed_is_removed() -> None:
    live = apply(None, config_map({"k": "v", "x": "y"}, labels={"l": "1"}))
    new = apply(live, config_map({"k": "v2"}), now=THIRD)
    assert new["data"] == {"k": "v2"}
    assert not new["metadata"].get("labels")
    assert owned(new) == {"m1": {"f:data": {"f:k": {}}}}
    assert new["metadata"]["managedFields"][0]["time"] == THIRD


def test_another_value_conflicts() -> None:
    live = apply(None, config_map({"k": "one", "only1": "x"}))
    with pytest.raises(ApplyConflict) as raised:
        apply(live, config_map({"k": "two"}), "m2")
    assert raised.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'Apply failed with 1 conflict: conflict with "m1": .data.k',
        "reason": "Conflict",
        "details": {
            "causes": [{"reason": "FieldManagerConflict", "message": 'conflict with "m1"', "field": ".data.k"}]
        },
        "code": 409,
    }


def test_the_same_value_is_shared_and_has_no_time() -> None:
    live = apply(None, config_map({"k": "one", "only1": "x"}))
    found = config_maps.apply(live, config_map({"k": "one"}), manager="m3", force=False, now=THIRD)
    entry = next(each for each in found.object["metadata"]["managedFields"] if each["manager"] == "m3")
    assert entry["fieldsV1"] == {"f:data": {"f:k": {}}}
    assert "time" not in entry
    assert found.changed


def test_several_conflicts_are_told_by_manager() -> None:
    live = apply(None, config_map({"k": "one", "only1": "x"}))
    live = apply(live, config_map({"k": "one"}), "m3")
    with pytest.raises(ApplyConflict) as raised:
        apply(live, config_map({"k": "two", "only1": "y"}), "m2")
    expected = (
        'Apply failed with 3 conflicts: conflicts with "m1":\n- .data.k\n- .data.only1\nconflicts with "m3":\n- .data.k'
    )
    assert raised.value.message == expected


def test_force_takes_the_field_from_all_others() -> None:
    live = apply(None, config_map({"k": "one", "only1": "x"}))
    live = apply(live, config_map({"k": "one"}), "m3")
    new = apply(live, config_map({"k": "two"}), "m2", force=True)
    assert new["data"] == {"k": "two", "only1": "x"}
    assert owned(new) == {"m1": {"f:data": {"f:only1": {}}}, "m2": {"f:data": {"f:k": {}}}}
    old_owner = apply(new, config_map({"only1": "x"}), "m1", now=THIRD)
    assert old_owner == new
    last = apply(new, config_map(), "m2", now=THIRD)
    assert last["data"] == {"only1": "x"}
    assert names(last) == ["m1"]


def test_a_conflict_with_an_update_names_its_version() -> None:
    live = config_maps.update(None, stored(config_map({"k": "one"})), manager="creator", now=FIRST)
    with pytest.raises(ApplyConflict) as raised:
        apply(live, config_map({"k": "two"}))
    assert raised.value.message == 'Apply failed with 1 conflict: conflict with "creator" using v1: .data.k'
    new = apply(live, config_map({"k": "two"}), force=True)
    assert owned(new) == {"creator": {"f:data": {}}, "m1": {"f:data": {"f:k": {}}}}
    patched = config_maps.update(new, {**new, "data": {"k": "three"}}, manager="patcher", now=THIRD)
    assert owned(patched) == {"creator": {"f:data": {}}, "patcher": {"f:data": {"f:k": {}}}}


def test_several_conflicts_with_an_update_name_its_version_once() -> None:
    live = config_maps.update(None, stored(config_map({"k": "1", "l": "2"})), manager="other", now=FIRST)
    with pytest.raises(ApplyConflict) as raised:
        apply(live, config_map({"k": "x", "l": "y"}))
    expected = 'Apply failed with 2 conflicts: conflicts with "other" using v1:\n- .data.k\n- .data.l'
    assert raised.value.message == expected


def test_a_conflict_with_a_subresource_names_it() -> None:
    live = stored({**deployment([{"name": "c"}]), "status": {}})
    live = deployments.update(None, live, manager="creator", now=FIRST)
    config = {**deployment(), "status": {"replicas": 7}}
    live = apply(live, config, by=deployment_status)
    assert live["metadata"]["managedFields"][0]["subresource"] == "status"
    with pytest.raises(ApplyConflict) as raised:
        apply(live, {**config, "status": {"replicas": 8}}, "m2", by=deployment_status)
    assert raised.value.causes[0].message == 'conflict with "m1" with subresource "status"'


def test_what_was_there_before_the_first_apply_has_a_manager_of_its_own() -> None:
    live = stored(config_map({"k": "three"}))
    new = apply(live, config_map({"k": "three"}))
    assert [(entry["manager"], entry["operation"]) for entry in new["metadata"]["managedFields"]] == [
        ("m1", "Apply"),
        ("before-first-apply", "Update"),
    ]
    assert owned(new)["before-first-apply"] == {"f:data": {".": {}, "f:k": {}}}


def test_the_status_is_not_applied_with_the_resource() -> None:
    live = stored({**deployment([{"name": "c"}]), "status": {}})
    live = deployments.update(None, live, manager="creator", now=FIRST)
    config = {name: value for name, value in deployment().items() if name != "spec"}
    new = apply(live, {**config, "status": {"replicas": 7}}, by=deployments)
    assert owned(new) == owned(live)


def test_an_empty_object_in_a_configuration_is_owned() -> None:
    assert owned(apply(None, deployment(), by=deployments)) == {"m1": {"f:spec": {}}}


def test_items_merge_by_key_in_the_order_of_the_configuration() -> None:
    first = deployment([{"name": "a", "image": "i", "env": [{"name": "A", "value": "1"}]}])
    live = apply(None, first, by=deployments)
    second = deployment([{"name": "b", "image": "j"}, {"name": "a", "env": [{"name": "B", "value": "2"}]}])
    live = apply(live, second, "m2", by=deployments)
    assert [each["name"] for each in containers(live)] == ["b", "a"]
    assert containers(live)[1]["env"] == [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    live = apply(live, deployment([{"name": "a", "image": "i"}]), by=deployments)
    assert containers(live)[1]["env"] == [{"name": "B", "value": "2"}]
    nothing = {name: value for name, value in deployment().items() if name != "spec"}
    live = apply(live, nothing, "m2", by=deployments)
    assert containers(live) == [{"name": "a", "image": "i"}]
    assert names(live) == ["m1"]


@pytest.mark.parametrize(
    ("live", "config", "expected"),
    [
        ("abc", "d", "abcd"),
        ("abc", "ca", "bca"),
        ("abc", "cxa", "bcxa"),
        ("abcd", "xb", "axbcd"),
        ("ab", "xayb", "xayb"),
        ("", "ba", "ba"),
    ],
)
def test_sets_keep_the_place_of_what_only_one_side_has(live: str, config: str, expected: str) -> None:
    before = stored(widgets.update(None, widget(tags=list(live)), manager="u", now=FIRST))
    new = apply(before, widget(tags=list(config)), by=widgets)
    assert "".join(new["spec"]["tags"]) == expected


def test_atomic_parts_are_replaced_as_a_whole() -> None:
    live = apply(None, widget(whole={"a": "1"}, steps=["x", "y"]), by=widgets)
    with pytest.raises(ApplyConflict) as raised:
        apply(live, widget(whole={"b": "2"}, steps=["z"]), "m2", by=widgets)
    assert [cause.field for cause in raised.value.causes] == [".spec.steps", ".spec.whole"]
    new = apply(live, widget(whole={"b": "2"}, steps=["z"]), "m2", by=widgets, force=True)
    assert new["spec"] == {"whole": {"b": "2"}, "steps": ["z"]}
    assert names(new) == ["m2"]


def test_to_mention_an_empty_map_takes_nothing_away() -> None:
    live = config_maps.update(None, stored(config_map({"k": "v"})), manager="u", now=FIRST)
    nothings: list[Any] = [{}, None]
    for nothing in nothings:
        config = {**config_map(), "data": nothing}
        new = apply(live, config)
        assert new["data"] == {"k": "v"}
        assert owned(new)["m1"] == {"f:data": {}}


def test_what_another_updated_stays_when_the_applier_lets_go() -> None:
    live = apply(None, config_map({"k": "v", "x": "y"}))
    live = config_maps.update(live, {**live, "data": {**live["data"], "more": "1"}}, manager="u", now=SECOND)
    new = apply(live, config_map({"k": "v"}))
    assert new["data"] == {"k": "v", "more": "1"}


def message_of(obj: dict[str, Any], by: FieldManager = config_maps) -> tuple[int, str]:
    with pytest.raises(APIError) as raised:
        by.apply(None, obj, manager="m", force=False, now=FIRST)
    return raised.value.code, raised.value.message


def test_undeclared_fields_are_refused() -> None:
    expected = "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .nope: field not declared in schema"
    assert message_of({**config_map({"k": "v"}), "nope": 1}) == (500, expected)


def test_a_key_may_not_come_twice() -> None:
    obj = deployment([{"name": "a"}, {"name": "a", "image": "k"}])
    expected = (
        "failed to create typed patch object (/d; apps/v1, Kind=Deployment): "
        '.spec.template.spec.containers: duplicate entries for key [name="a"]'
    )
    assert message_of(obj, deployments) == (500, expected)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"size": "x"}, ".spec.size: expected numeric (int or float), got string"),
        ({"size": True}, ".spec.size: expected numeric (int or float), got bool"),
        ({"whole": "x"}, ".spec.whole: expected map, got &{x}"),
        ({"steps": {"b": 1, "a": None}}, ".spec.steps: expected list, got &{map[a:<nil> b:1]}"),
        ({"steps": [1]}, ".spec.steps[0]: expected string, got &value.valueUnstructured{Value:1}"),
        ({"parts": [{"name": "a", "on": 1}]}, '.spec.parts[name="a"].on: expected boolean, got &{1}'),
        ({"parts": ["a"]}, ".spec.parts: element 0: associative list with keys may not have non-map elements"),
        ({"parts": [None]}, ".spec.parts: element 0: associative list with keys may not have a null element"),
        (
            {"parts": [{"n": 1}]},
            (
                '.spec.parts: element 0: associative list with keys has an element that omits all key fields ["name"] '
                "(and doesn't have default values for any key fields)"
            ),
        ),
        (
            {"tags": [None]},
            ".spec.tags: element 0: associative list without keys has an element that's an explicit null",
        ),
        ({"tags": ["a", "a"]}, '.spec.tags: duplicate entries for key [="a"]'),
        (
            {"size": "x", "steps": 1},
            (
                "errors:\n  .spec.size: expected numeric (int or float), got string\n"
                "  .spec.steps: expected list, got &{1}"
            ),
        ),
    ],
)
def test_wrong_types_are_told_in_kubernetes_words(spec: dict[str, Any], expected: str) -> None:
    prefix = "failed to create typed patch object (/w; example.com/v1, Kind=Widget): "
    assert message_of(widget(**spec), widgets) == (500, prefix + expected)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({"metadata": {"name": "a"}}, "invalid object type: /, Kind="),
        ({**config_map(), "apiVersion": "apps/v1"}, "invalid object type: apps/v1, Kind=ConfigMap"),
        ({**config_map(), "apiVersion": "a/b/c"}, "invalid object type: /, Kind="),
        (config_map(managedFields=[{"manager": "q"}]), "metadata.managedFields must be nil"),
        (config_map(managedFields=[]), "metadata.managedFields must be nil"),
    ],
)
def test_what_is_not_this_kind_is_a_bad_request(obj: dict[str, Any], expected: str) -> None:
    with pytest.raises(BadRequest) as raised:
        config_maps.apply(None, obj, manager="m", force=False, now=FIRST)
    assert raised.value.message == expected


def test_managers_of_the_live_object_that_can_not_be_read_are_an_error() -> None:
    live = stored(config_map(managedFields=[{"manager": "m"}]))
    with pytest.raises(InvalidApply, match="failed to decode managed fields: operation must be"):
        apply(live, config_map())


def test_a_live_list_may_repeat_a_key_and_the_configuration_replaces_all_of_them() -> None:
    twice = widget(parts=[{"name": "a", "n": 1}, {"name": "b"}, {"name": "a", "n": 2}])
    live = stored(widgets.update(None, twice, manager="u", now=FIRST))
    new = apply(live, widget(parts=[{"name": "a", "n": 3}]), by=widgets, force=True)
    assert new["spec"]["parts"] == [{"name": "a", "n": 3}, {"name": "b"}]


def test_a_configuration_nested_beyond_all_measure_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    with pytest.raises(InvalidApply, match="nested too deeply"):
        apply(None, widget(free=deep), by=widgets)


def test_no_object_that_is_given_is_changed() -> None:
    live = apply(None, deployment([{"name": "a", "image": "i"}], replicas=1), by=deployments)
    config = deployment([{"name": "a", "image": "j"}, {"name": "b"}])
    before = copy.deepcopy((live, config))
    apply(live, config, by=deployments)
    assert (live, config) == before
