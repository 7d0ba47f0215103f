"""Claims to devices: what is asked, what is given, and the templates of both."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.resource.device_classes import DEVICE_CLASSES
from localplane.catalog.resource.resource_claim_templates import RESOURCE_CLAIM_TEMPLATES
from localplane.catalog.resource.resource_claims import RESOURCE_CLAIMS, resource_claim_cells
from tests.unit.catalog import writing
from tests.unit.catalog.judging import change_refusals, made, refusals

REQUEST: JSONObject = {"name": "r", "exactly": {"deviceClassName": "c"}}
AT = "spec.devices.requests[0]"


def claim(*requests: JSONObject, **fields: Any) -> JSONObject:
    return {"spec": {"devices": {"requests": list(requests or [REQUEST])} | fields}}


def exactly(**fields: Any) -> JSONObject:
    return claim({"name": "r", "exactly": {"deviceClassName": "c"} | fields})


def opaque(**fields: Any) -> JSONObject:
    return {"opaque": {"driver": "d.example.com", "parameters": {}} | fields}


def test_defaults() -> None:
    obj = claim(
        {"name": "a", "exactly": {"tolerations": [{"key": "k"}], "derivedAttributes": [{}]}},
        {"name": "b", "firstAvailable": [{"name": "c", "allocationMode": "All"}]},
    )
    assert made(RESOURCE_CLAIMS, obj)["spec"]["devices"]["requests"] == [
        {
            "name": "a",
            "exactly": {
                "tolerations": [{"key": "k", "operator": "Equal"}],
                "allocationMode": "ExactCount",
                "count": 1,
            },
        },
        {"name": "b", "firstAvailable": [{"name": "c", "allocationMode": "All"}]},
    ]


@pytest.mark.parametrize(
    ("obj", "errors"),
    [
        (claim(), []),
        (claim(config=[{"requests": ["r"], **opaque()}]), []),
        (claim({"name": "r"}), [f"{AT}: Required value: exactly one of `exactly` or `firstAvailable` is required"]),
        (
            claim(REQUEST | {"firstAvailable": [{"name": "a"}]}),
            [
                (
                    f"{AT}: Invalid value: null: "
                    "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set"
                )
            ],
        ),
        (exactly(deviceClassName=""), [f"{AT}.exactly.deviceClassName: Required value"]),
        (
            exactly(allocationMode="All", count=2, selectors=[{}]),
            [
                f"{AT}.exactly.selectors[0].cel: Required value",
                f"{AT}.exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'",
            ],
        ),
        (
            exactly(allocationMode="Some", tolerations=[{"operator": "Exists", "value": "v", "effect": "Now"}]),
            [
                f'{AT}.exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
                f'{AT}.exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`',
                (
                    f'{AT}.exactly.tolerations[0].effect: Unsupported value: "Now": '
                    'supported values: "NoExecute", "NoSchedule", "None"'
                ),
            ],
        ),
        (
            claim({"name": "a", "firstAvailable": [{"name": "b", "deviceClassName": "c"}] * 9}),
            [f"{AT}.firstAvailable: Too many: 9: must have at most 8 items"],
        ),
        (
            claim(constraints=[{"requests": ["r", "s", "a/b/c"]}]),
            [
                (
                    'spec.devices.constraints[0].requests[1]: Invalid value: "s": must be the name of a request in the '
                    "claim or the name of a request and a subrequest separated by '/'"
                ),
                (
                    'spec.devices.constraints[0].requests[2]: Invalid value: "a/b/c": must be the name of a request in '
                    "the claim or the name of a request and a subrequest separated by '/'"
                ),
                (
                    'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or '
                    '"distinctAttribute" '
                    "is required, but multiple fields are set"
                ),
            ],
        ),
        (
            claim(constraints=[{"matchAttribute": "a"}]),
            [
                (
                    'spec.devices.constraints[0].matchAttribute: Invalid value: "a": '
                    "a fully qualified name must be a domain and a name separated by a slash"
                )
            ],
        ),
        (
            claim(config=[{}, opaque(driver="", parameters=None), opaque(parameters=[1])]),
            [
                "spec.devices.config[0].opaque: Required value",
                "spec.devices.config[1].opaque.driver: Required value",
                "spec.devices.config[1].opaque.parameters: Required value",
                (
                    'spec.devices.config[2].opaque.parameters: Invalid value: "<value omitted>": '
                    "must be a valid JSON object"
                ),
            ],
        ),
    ],
)
def test_rules(obj: JSONObject, errors: list[str]) -> None:
    assert refusals(RESOURCE_CLAIMS, obj) == errors


def test_a_claim_never_changes() -> None:
    assert change_refusals(RESOURCE_CLAIMS, claim(), exactly(count=2)) == [
        "spec: Invalid value: null: field is immutable"
    ]


def test_a_template_tells_what_it_would_have_become() -> None:
    old, new = ({"spec": claim()} for _ in "ab")
    assert change_refusals(RESOURCE_CLAIM_TEMPLATES, old, new) == []
    new["spec"] = {"spec": {"devices": {}}}
    assert change_refusals(RESOURCE_CLAIM_TEMPLATES, old, new) == [
        (
            'spec: Invalid value: {"Spec":{"Devices":{"Requests":null,"Constraints":null,"Config":null}}}: '
            "field is immutable"
        )
    ]
    assert refusals(RESOURCE_CLAIM_TEMPLATES, {"spec": {"metadata": {"name": "n"}, **claim()}}) == [
        "spec.metadata.name: Forbidden: cannot be set"
    ]


RESULT: JSONObject = {"request": "r", "driver": "d", "pool": "p", "device": "x"}
ALLOCATION: JSONObject = {"devices": {"results": [RESULT]}}
DEVICE: JSONObject = {"driver": "d", "pool": "p", "device": "x"}
POD: JSONObject = {"resource": "pods", "name": "n", "uid": "u"}


@pytest.mark.parametrize(
    ("before", "after", "errors"),
    [
        ({}, {"allocation": ALLOCATION, "reservedFor": [POD], "devices": [DEVICE]}, []),
        (
            {},
            {"reservedFor": [POD, POD | {"name": ""}]},
            [
                "status.reservedFor[1].name: Required value",
                'status.reservedFor[1]: Duplicate value: {"resource":"pods","name":"","uid":"u"}',
                "status.reservedFor: Forbidden: may not be specified when `allocated` is not set",
            ],
        ),
        (
            {"allocation": ALLOCATION},
            {"allocation": {"devices": {"results": []}}},
            ["status.allocation: Invalid value: null: field cannot be modified once set"],
        ),
        (
            {},
            {"allocation": {"devices": {"results": [RESULT | {"driver": "", "pool": "a//b", "shareID": "1"}]}}},
            [
                "status.allocation.devices.results[0].driver: Required value",
                'status.allocation.devices.results[0].pool: Invalid value: "a//b": segment 1: must not be empty',
                (
                    'status.allocation.devices.results[0].shareID: Invalid value: "1": '
                    "must be a lowercase UUID in 8-4-4-4-12 format"
                ),
            ],
        ),
        (
            {"allocation": ALLOCATION},
            {"allocation": ALLOCATION, "devices": [DEVICE | {"device": "y", "networkData": {"ips": ["10.0.0.01/8"]}}]},
            [
                (
                    'status.devices[0]: Invalid value: {"Driver":"d","Pool":"p","Device":"y","ShareID":""}: '
                    "must be an allocated device in the claim"
                ),
                (
                    'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.01/8": '
                    "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"
                ),
            ],
        ),
    ],
)
def test_status(before: JSONObject, after: JSONObject, errors: list[str]) -> None:
    old = made(RESOURCE_CLAIMS, claim()) | {"status": before}
    assert writing.status_refusals(RESOURCE_CLAIMS, old, after) == errors


def test_reports_of_a_device_go_with_its_allocation() -> None:
    old = made(RESOURCE_CLAIMS, claim()) | {"status": {"allocation": ALLOCATION, "devices": [DEVICE]}}
    new = old | {"status": {"devices": [DEVICE]}}
    strategy = RESOURCE_CLAIMS.status_strategy
    assert strategy is not None
    strategy.prepare_for_update(writing.REQUEST, new, old)
    assert new["status"] == {}


@pytest.mark.parametrize(
    ("obj", "state"),
    [
        ({}, "pending"),
        ({"status": {"allocation": {}}}, "allocated"),
        ({"status": {"allocation": {}, "reservedFor": [POD]}}, "allocated,reserved"),
        ({"metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z"}}, "deleted"),
    ],
)
def test_a_row_tells_the_state(obj: JSONObject, state: str) -> None:
    assert resource_claim_cells(obj)[1] == state


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({"selectors": [{"cel": {"expression": "true"}}], "extendedResourceName": "example.com/gpu"}, []),
        (
            {"extendedResourceName": "gpu"},
            [
                (
                    'spec.extendedResourceName: Invalid value: "gpu": '
                    "a name must be a domain-prefixed path, such as 'example.com/my-prop'"
                )
            ],
        ),
        (
            {"selectors": [{"cel": {"expression": "a" * 10241}}]},
            ["spec.selectors[0].cel.expression: Too long: may not be more than 10240 bytes"],
        ),
    ],
)
def test_classes(spec: JSONObject, errors: list[str]) -> None:
    assert refusals(DEVICE_CLASSES, {"spec": spec}) == errors
