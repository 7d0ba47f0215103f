"""Priority classes: whose names and numbers are whose."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.scheduling.priority_classes import PRIORITY_CLASSES, priority_class_cells
from tests.unit.catalog.judging import change_refusals, made, refusals

RESERVED = (
    "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: "
)


def named(name: str, **fields: Any) -> JSONObject:
    return {"metadata": {"name": name}, **fields}


@pytest.mark.parametrize(
    ("obj", "errors"),
    [
        (named("a", value=-5, preemptionPolicy="Never"), []),
        (named("system-node-critical", value=2000001000), []),
        (
            named("system-node-critical", value=1),
            [f"{RESERVED}value of system-node-critical PriorityClass must be 2000001000"],
        ),
        (
            named("system-cluster-critical", value=2000000000, globalDefault=True),
            [f"{RESERVED}globalDefault of system-cluster-critical PriorityClass must be false"],
        ),
        (named("system-x"), [f"{RESERVED}system-x is not a known system priority class"]),
        (
            named("a", value=1000000001),
            ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"],
        ),
    ],
)
def test_rules(obj: JSONObject, errors: list[str]) -> None:
    assert refusals(PRIORITY_CLASSES, obj) == errors


def test_a_class_keeps_its_value_and_its_policy() -> None:
    changed = {"value": 1, "preemptionPolicy": "Never", "globalDefault": True}
    assert change_refusals(PRIORITY_CLASSES, {}, changed) == [
        "value: Forbidden: may not be changed in an update.",
        'preemptionPolicy: Invalid value: "Never": field is immutable',
    ]


def test_a_row_shows_the_policy_that_is_the_default() -> None:
    row = priority_class_cells(made(PRIORITY_CLASSES, {}))
    assert [*row[:3], row[4]] == ["x", 0, False, "PreemptLowerPriority"]
