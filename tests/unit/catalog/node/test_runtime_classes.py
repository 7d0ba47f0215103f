"""Runtime classes: handlers, overhead and where they run."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.node.runtime_classes import RUNTIME_CLASSES
from tests.unit.catalog.judging import change_refusals, refusals
from tests.unit.catalog.writing import REQUEST

TOLERATION = {"key": "a", "operator": "Exists"}


@pytest.mark.parametrize(
    ("obj", "errors"),
    [
        ({"handler": "runc", "overhead": {"podFixed": {"cpu": "1", "memory": "1Gi"}}}, []),
        ({}, ["handler: Required value"]),
        ({"handler": "a.b"}, ['handler: Invalid value: "a.b": must not contain dots']),
        (
            {"handler": "a" * 64},
            [f'handler: Invalid value: "{"a" * 64}": must be no more than 63 bytes'],
        ),
        (
            {"handler": "h", "overhead": {"podFixed": {"cpu": "-1"}}},
            ['overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
        ),
        (
            {"handler": "h", "scheduling": {"tolerations": [TOLERATION, TOLERATION | {"tolerationSeconds": 1}]}},
            [
                (
                    'scheduling.tolerations[1].effect: Invalid value: "": '
                    "effect must be 'NoExecute' when `tolerationSeconds` is set"
                ),
                (
                    'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"",'
                    '"TolerationSeconds":1}'
                ),
            ],
        ),
    ],
)
def test_rules(obj: JSONObject, errors: list[str]) -> None:
    assert refusals(RUNTIME_CLASSES, obj) == errors


def test_a_handler_never_changes() -> None:
    assert change_refusals(RUNTIME_CLASSES, {"handler": "a"}, {"handler": "b"}) == [
        "handler: Invalid value: null: field is immutable"
    ]


def test_old_labels_of_nodes_are_warned_of() -> None:
    obj = {"handler": "h", "scheduling": {"nodeSelector": {"beta.kubernetes.io/os": "linux", "a": "b"}}}
    assert RUNTIME_CLASSES.strategy.warnings_on_create(REQUEST, obj) == [
        'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead'
    ]
