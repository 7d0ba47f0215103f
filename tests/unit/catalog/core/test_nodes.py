"""Nodes: taints, addresses, what may change, and how they print."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.nodes import NODES
from localplane.catalog.core.nodes.columns import node_cells
from tests.unit.catalog.writing import REQUEST, UID, refusals, status_refusals
from tests.unit.catalog.writing import change_refusals as changes


def node(spec: JSONObject | None = None, status: JSONObject | None = None, **metadata: Any) -> JSONObject:
    named = {"name": "n", "uid": UID, "resourceVersion": "1", **metadata}
    return {"metadata": named, "spec": spec or {}, "status": status or {}}


def found(obj: JSONObject) -> list[str]:
    return [str(error) for error in NODES.strategy.validate(REQUEST, obj)]


def test_a_new_node_keeps_its_status_and_can_use_all_it_has() -> None:
    obj = node(status={"capacity": {"cpu": "4"}, "config": {"active": {}}}, spec={"configSource": {}})
    default = NODES.versions[0].default
    assert default is not None
    default(obj)
    NODES.strategy.prepare_for_create(REQUEST, obj)
    assert obj["status"] == {"capacity": {"cpu": "4"}, "allocatable": {"cpu": "4"}}
    assert obj["spec"] == {}


def test_an_update_leaves_the_status_alone() -> None:
    old, new = node(status={"phase": "Running"}), node(status={"phase": "Other"})
    NODES.strategy.prepare_for_update(REQUEST, new, old)
    assert new["status"] == {"phase": "Running"}


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (node({"taints": [{"key": "k", "effect": "NoSchedule"}], "podCIDRs": ["10.0.0.0/24", "fd00::/64"]}), []),
        (
            node({"taints": [{"key": "k", "effect": "NoSchedule"}, {"key": "k", "effect": "NoSchedule"}]}),
            [
                (
                    'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"","Effect":"NoSchedule","TimeAdded":null}'
                    ": taints must be unique by key and effect pair"
                )
            ],
        ),
        (
            node({"podCIDRs": ["10.0.0.0/24", "10.1.0.0/24"]}),
            [
                (
                    'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one CIDR '
                    "for each IP family"
                )
            ],
        ),
        (
            node(status={"capacity": {"pods": "1500m"}, "allocatable": {"cpu": "-1"}}),
            [
                'status.capacity.pods: Invalid value: "1500m": must be an integer',
                'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
            ],
        ),
        (
            node(status={"declaredFeatures": ["B", "A", "A"]}),
            [
                'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
                'status.declaredFeatures[2]: Duplicate value: "A"',
            ],
        ),
        (
            node(annotations={"scheduler.alpha.kubernetes.io/taints": "{"}),
            [
                (
                    'metadata.annotations: Invalid value: "scheduler.alpha.kubernetes.io/taints": unexpected end of '
                    "JSON input"
                )
            ],
        ),
    ],
)
def test_a_node_makes_sense(obj: JSONObject, expected: list[str]) -> None:
    assert found(obj) == expected


def test_its_name_is_a_domain_name() -> None:
    assert refusals(NODES, {"metadata": {"name": "N"}})


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (node(), node({"podCIDRs": ["10.0.0.0/24"], "providerID": "a"}), []),
        (
            node({"podCIDRs": ["10.0.0.0/24"]}),
            node({"podCIDRs": ["10.1.0.0/24"]}),
            ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
        ),
        (
            node({"providerID": "a"}),
            node({"providerID": "b"}),
            ["spec.providerID: Invalid value: null: field cannot be modified once set"],
        ),
        (
            node({"providerID": "a"}),
            node(),
            ["spec.providerID: Invalid value: null: field cannot be cleared once set"],
        ),
        (node(), node({"externalID": "x"}), ["spec.externalID: Forbidden: may not be updated"]),
    ],
)
def test_what_may_become_of_a_node(old: JSONObject, new: JSONObject, expected: list[str]) -> None:
    assert changes(NODES, old, new) == expected


def test_addresses_are_told_once() -> None:
    address = {"type": "Hostname", "address": "h"}
    assert status_refusals(NODES, node(), {"addresses": [address, address]}) == [
        'status.addresses[1]: Duplicate value: {"Type":"Hostname","Address":"h"}'
    ]


@pytest.mark.parametrize(
    ("obj", "cells"),
    [
        (node(), ["n", "Unknown", "<none>", "<unknown>", "", "<none>", "<none>"]),
        (
            node(
                {"unschedulable": True},
                {
                    "conditions": [{"type": "Ready", "status": "False"}],
                    "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
                    "nodeInfo": {"kubeletVersion": "v1"},
                },
                labels={"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "agent"},
            ),
            ["n", "NotReady,SchedulingDisabled", "agent,worker", "<unknown>", "v1", "10.0.0.1", "<none>"],
        ),
    ],
)
def test_a_row(obj: JSONObject, cells: list[Any]) -> None:
    assert node_cells(obj)[:7] == cells
