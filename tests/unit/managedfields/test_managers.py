"""managedFields, read and written."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.managedfields import InvalidManagedFields, keep_times_of_unchanged, validate
from localplane.apimachinery.managedfields.fieldset import of_paths
from localplane.apimachinery.managedfields.managers import (
    Managed,
    Manager,
    ManagerEntry,
    capped,
    decode,
    encode,
    stripped,
)
from tests.unit.managedfields.kinds import FIRST, SECOND, THIRD, config_map


def entry(manager: str = "m", operation: str = "Update", time: str = FIRST, **more: Any) -> dict[str, Any]:
    found = {"manager": manager, "operation": operation, "apiVersion": "v1", "time": time, "fieldsType": "FieldsV1"}
    return {**found, "fieldsV1": {"f:data": {"f:k": {}}}, **more}


def test_what_is_read_is_written_as_it_was() -> None:
    entries = [entry("b", "Apply"), entry("a"), entry("a", apiVersion="v2"), entry("a", subresource="status")]
    assert encode(decode(entries)) == [entries[0], entries[1], entries[3], entries[2]]
    assert encode(decode(entries))[0] is entries[0]


def test_appliers_come_first_then_the_oldest_then_by_name() -> None:
    entries = [entry("z", time=SECOND), entry("a", time=THIRD), entry("b", time=SECOND), entry("y", "Apply", THIRD)]
    entries.append({name: value for name, value in entry("timeless").items() if name != "time"})
    assert [each["manager"] for each in encode(decode(entries))] == ["y", "timeless", "b", "z", "a"]


def test_who_applies_is_the_same_in_all_versions() -> None:
    assert len(decode([entry(operation="Apply"), entry(operation="Apply", apiVersion="v2")])) == 1
    assert len(decode([entry(), entry(apiVersion="v2")])) == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"operation": "Patch"}, "operation must be `Apply` or `Update`"),
        ({"apiVersion": ""}, "apiVersion must not be empty"),
        ({"fieldsType": ""}, "missing fieldsType in managed fields entry 0"),
        ({"fieldsType": "FieldsV2"}, 'invalid fieldsType "FieldsV2" in managed fields entry 0'),
    ],
)
def test_what_can_not_be_read_is_said_in_kubernetes_words(wrong: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidManagedFields) as raised:
        validate([entry(**wrong)])
    assert str(raised.value) == message


@pytest.mark.parametrize("wrong", [{"data": {}}, "x", {"f:a": 1}, {"k:{": {}}])
def test_fields_that_are_no_fields_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidManagedFields, match="error decoding set"):
        validate([entry(fieldsV1=wrong)])


def test_fields_of_the_object_as_such_belong_to_nobody() -> None:
    taken = of_paths(
        ("f:apiVersion",),
        ("f:metadata",),
        ("f:metadata", "f:name"),
        ("f:metadata", "f:labels"),
        ("f:metadata", "f:uid"),
    )
    assert stripped(taken) == {"f:metadata": {"f:labels": {}}}


def updaters(*times: str, version: str = "v1") -> Managed:
    return {
        Manager(f"m{number}", "Update", version): ManagerEntry(of_paths((f"f:{number}",)), version, time)
        for number, time in enumerate(times)
    }


def test_the_oldest_updaters_are_merged_per_version() -> None:
    managed = updaters(*(f"2026-01-01T00:00:{second:02}Z" for second in range(12)))
    found = capped(managed)
    bucket = Manager("ancient-changes", "Update", "v1")
    assert len(found) == 10
    assert found[bucket].fields == of_paths(("f:0",), ("f:1",), ("f:2",))
    assert found[bucket].time == "2026-01-01T00:00:02Z"
    again = {
        **found,
        Manager("late", "Update", "v1"): ManagerEntry(of_paths(("f:x",)), "v1", SECOND.replace("2026", "2027")),
    }
    assert capped(again)[bucket].fields == of_paths(("f:0",), ("f:1",), ("f:2",), ("f:3",))


def test_ten_updaters_and_any_number_of_appliers_are_left_alone() -> None:
    managed = updaters(*[FIRST] * 10)
    managed |= {Manager(f"a{n}", "Apply"): ManagerEntry(of_paths(("f:a",)), "v1", FIRST) for n in range(20)}
    assert capped(managed) is managed


def test_times_alone_are_no_change() -> None:
    old = config_map({"k": "v"}, managedFields=[entry(time=FIRST)])
    new = config_map({"k": "v"}, managedFields=[entry(time=SECOND)])
    assert keep_times_of_unchanged(old, new) == old


@pytest.mark.parametrize(
    "new",
    [
        config_map({"k": "w"}, managedFields=[entry(time=SECOND)]),
        config_map({"k": "v"}, managedFields=[entry(time=SECOND, manager="n")]),
        config_map({"k": "v"}, managedFields=[entry(time=SECOND), entry("n")]),
        config_map({"k": "v"}),
    ],
)
def test_times_stand_when_anything_else_changed(new: dict[str, Any]) -> None:
    assert keep_times_of_unchanged(config_map({"k": "v"}, managedFields=[entry(time=FIRST)]), new) is new
