"""Trees of objects that own one another, and how their members are said to be."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.views.tree import condition, readiness, tree


def owned(name: str, *owners: str, kind: str = "X") -> dict[str, Any]:
    references = [{"uid": owner} for owner in owners]
    return {"kind": kind, "metadata": {"name": name, "uid": name, "ownerReferences": references}}


def shown(root: dict[str, Any], *objects: dict[str, Any]) -> list[str]:
    return [f"{lines}{obj['metadata']['name']}" for lines, obj in tree(root, objects)]


def test_children_stand_below_their_owners() -> None:
    objects = (
        owned("b", "root"),
        owned("a", "root"),
        owned("a2", "a"),
        owned("a1", "a"),
        owned("b1", "b"),
        owned("no"),
    )
    assert shown(owned("root"), *objects) == ["root", "├─a", "│ ├─a1", "│ └─a2", "└─b", "  └─b1"]


def test_owners_that_own_one_another_end() -> None:
    assert shown(owned("root", "b"), owned("a", "root"), owned("b", "a"), owned("root", "b")) == [
        "root",
        "└─a",
        "  └─b",
    ]


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (
            {"kind": "Pod", "status": {"phase": "Running", "containerStatuses": [{"ready": True}, {}]}},
            ("1/2", "Running"),
        ),
        ({"kind": "Deployment", "apiVersion": "apps/v1", "spec": {"replicas": 3}, "status": {}}, ("0/3", "-")),
        ({"status": {"desiredNumberScheduled": 2, "numberReady": 1}}, ("1/2", "-")),
        ({"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, ("True", "Current")),
        ({"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Broken"}]}}, ("False", "Broken")),
        ({"metadata": {"deletionTimestamp": "x"}}, ("-", "Terminating")),
        ({"kind": "ConfigMap"}, ("-", "-")),
        ({"status": "odd", "spec": []}, ("-", "-")),
    ],
)
def test_states(obj: dict[str, Any], expected: tuple[str, str]) -> None:
    assert (readiness(obj), condition(obj)) == expected
