"""Slices of devices, and rules that taint devices."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.resource.device_taint_rules import DEVICE_TAINT_RULES
from localplane.catalog.resource.resource_slices import RESOURCE_SLICES, resource_slice_cells
from tests.unit.catalog.judging import change_refusals, made, refusals
from tests.unit.catalog.writing import REQUEST

AT = "spec.devices[0]"


def published(**fields: Any) -> JSONObject:
    return {"spec": {"driver": "d", "pool": {"name": "p", "resourceSliceCount": 1}, "nodeName": "n"} | fields}


def device(**fields: Any) -> JSONObject:
    return published(devices=[{"name": "x"} | fields])


def policy(**fields: Any) -> JSONObject:
    return device(allowMultipleAllocations=True, capacity={"c": {"value": "10", "requestPolicy": fields}})


@pytest.mark.parametrize(
    ("obj", "errors"),
    [
        (published(), []),
        (
            device(
                attributes={"a": {"string": "s"}, "e.com/b": {"version": "1.2.3-rc.1"}},
                capacity={"m": {"value": "1Gi"}},
            ),
            [],
        ),
        (
            {"spec": {}},
            [
                "spec.driver: Required value",
                "spec.pool.name: Required value",
                "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
                (
                    "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                    "`perDeviceNodeSelection` is required"
                ),
            ],
        ),
        (
            published(allNodes=True, perDeviceNodeSelection=False),
            [
                "spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true",
                (
                    'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, '
                    "`allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set"
                ),
            ],
        ),
        (published(devices=[{"name": "x"}] * 2), ['spec.devices[1]: Duplicate value: "x"']),
        (
            published(devices=[{"name": f"x{number}"} for number in range(129)]),
            ["spec.devices: Too many: 129: must have at most 128 items"],
        ),
        (
            device(attributes={"a": {}, "b": {"int": 1, "bool": True}, "c": {"version": "1"}}),
            [
                (
                    f'{AT}.attributes[a]: Invalid value: "": must specify one of: `int`, `bool`, `string`, `version`, '
                    "`ints`, `bools`, `strings`, `versions`"
                ),
                (
                    f'{AT}.attributes[b]: Invalid value: "{{int, bool}}": must specify exactly one of: `int`, `bool`, '
                    "`string`, `version`, `ints`, `bools`, `strings`, `versions`"
                ),
                (
                    f'{AT}.attributes[c].version: Invalid value: "1": must be a string compatible with semver.org spec '
                    "2.0.0"
                ),
            ],
        ),
        (
            device(nodeName="n", bindingConditions=["a"]),
            [
                (
                    f"{AT}: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if "
                    "`perDeviceNodeSelection` is set to true in the ResourceSlice spec"
                ),
                (
                    f"{AT}.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use "
                    "bindingConditions"
                ),
            ],
        ),
        (
            device(taints=[{"key": "k"}], consumesCounters=[{"counterSet": "", "counters": {"A": {}}}]),
            [
                f"{AT}.taints[0].effect: Required value",
                f"{AT}.consumesCounters[0].counterSet: Required value",
                (
                    f'{AT}.consumesCounters[0].counters: Invalid value: "A": a lowercase RFC 1123 label must consist '
                    "of "
                    "lower case alphanumeric characters or '-', and must start and end with an alphanumeric character "
                    "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
                ),
            ],
        ),
        (
            device(capacity={"c": {"value": "1", "requestPolicy": {}}}),
            [f"{AT}.capacity[c].requestPolicy: Forbidden: allowMultipleAllocations must be true"],
        ),
        (policy(default="2", validRange={"min": "2", "max": "8", "step": "3"}), []),
        (
            policy(default="4", validRange={"min": "2", "max": "12", "step": "3"}),
            [
                (
                    f'{AT}.capacity[c].requestPolicy.validRange.max: Invalid value: "12": '
                    "max is larger than capacity value: 10"
                ),
                (
                    f'{AT}.capacity[c].requestPolicy.validRange.step: Invalid value: "4": '
                    "value is not a multiple of a given step (3) from (2)"
                ),
                (
                    f'{AT}.capacity[c].requestPolicy.validRange.step: Invalid value: "12": '
                    "value is not a multiple of a given step (3) from (2)"
                ),
            ],
        ),
        (
            policy(default="5", validValues=["2", "1", "20"]),
            [
                (
                    f'{AT}.capacity[c].requestPolicy.validValues[1]: Invalid value: "1": '
                    "values must be sorted in ascending order"
                ),
                (
                    f'{AT}.capacity[c].requestPolicy.validValues[2]: Invalid value: "20": '
                    "option is larger than capacity value: 10"
                ),
                (
                    f'{AT}.capacity[c].requestPolicy.validValues: Invalid value: "5": '
                    "default value is not valid according to the requestPolicy"
                ),
            ],
        ),
    ],
)
def test_rules(obj: JSONObject, errors: list[str]) -> None:
    assert refusals(RESOURCE_SLICES, obj) == errors


def test_a_slice_stays_where_it_is() -> None:
    moved = published(driver="e", nodeName="m") | {}
    assert change_refusals(RESOURCE_SLICES, published(), moved) == [
        'spec.driver: Invalid value: "e": field is immutable',
        'spec.nodeName: Invalid value: "m": field is immutable',
    ]


def test_what_is_off_is_dropped_and_capitals_are_warned_of() -> None:
    obj = made(
        RESOURCE_SLICES, published(driver="D", skipNodeOperations=["*"], devices=[{"nodeAllocatableResources": {}}])
    )
    assert obj["spec"]["devices"] == [{}]
    assert "skipNodeOperations" not in obj["spec"]
    assert RESOURCE_SLICES.strategy.warnings_on_create(REQUEST, obj) == [
        'spec.driver: driver names should be lowercase; "D" contains uppercase characters'
    ]
    assert resource_slice_cells(obj)[1:4] == ["n", "D", "p"]


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({"taint": {"key": "a", "effect": "NoExecute"}, "deviceSelector": {"driver": "d"}}, []),
        (
            {"taint": {"key": "a", "effect": "Gone"}},
            [('spec.taint.effect: Unsupported value: "Gone": supported values: "NoExecute", "NoSchedule", "None"')],
        ),
        (
            {"taint": {"key": "a", "effect": "None"}, "deviceSelector": {"pool": ""}},
            ["spec.deviceSelector.pool: Required value"],
        ),
    ],
)
def test_taint_rules(spec: JSONObject, errors: list[str]) -> None:
    assert refusals(DEVICE_TAINT_RULES, {"spec": spec}) == errors


def test_a_new_effect_has_a_new_time() -> None:
    added = "2020-01-01T00:00:00Z"
    old = made(DEVICE_TAINT_RULES, {"spec": {"taint": {"key": "a", "effect": "None", "timeAdded": added}}})
    new = made(DEVICE_TAINT_RULES, {"spec": {"taint": {"key": "a", "effect": "NoExecute", "timeAdded": added}}})
    DEVICE_TAINT_RULES.strategy.prepare_for_update(REQUEST, new, old)
    assert new["spec"]["taint"]["timeAdded"] != added
