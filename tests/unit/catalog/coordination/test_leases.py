"""Leases, without and with what only coordinated leader election sets."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.coordination.leases import LEASES, lease_cells
from tests.unit.catalog import writing
from tests.unit.catalog.judging import made, refusals


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({}, []),
        ({"strategy": "anything", "preferredHolder": "me"}, []),
        (
            {"leaseDurationSeconds": 0, "leaseTransitions": -1},
            [
                "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
                "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
            ],
        ),
    ],
)
def test_rules(spec: JSONObject, errors: list[str]) -> None:
    assert refusals(LEASES, {"spec": spec}) == errors


def test_a_strategy_that_is_there_is_held_to_its_rules() -> None:
    old = made(LEASES, {}) | {"spec": {"strategy": "OldestEmulationVersion", "preferredHolder": "a"}}
    new = old | {"spec": {"strategy": "Newest", "preferredHolder": "a"}}
    assert writing.change_refusals(LEASES, old, new) == [
        'spec.strategy.strategy: Unsupported value: "Newest": supported values: "OldestEmulationVersion"'
    ]


def test_election_fields_are_dropped() -> None:
    assert made(LEASES, {"spec": {"strategy": "a", "holderIdentity": "h"}})["spec"] == {"holderIdentity": "h"}
    assert lease_cells({"metadata": {"name": "x"}, "spec": {"holderIdentity": "h"}})[:2] == ["x", "h"]
