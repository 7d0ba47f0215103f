"""Daemon sets: the count of their template's changes, and their rules."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.catalog.apps.daemon_sets import DAEMON_SETS
from tests.unit.catalog.writing import REQUEST, created, refusals

COUNT = "deprecated.daemonset.template.generation"


def daemon_set(**spec: Any) -> JSONObject:
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "img"}]}}
    return {"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template} | spec}


def test_the_server_counts_the_changes_of_the_template_whatever_a_client_says() -> None:
    old = created(DAEMON_SETS, daemon_set())
    assert old["metadata"]["annotations"] == {COUNT: "1"}
    new = copied(old)
    new["metadata"]["annotations"] = {COUNT: "99", "mine": "kept"}
    DAEMON_SETS.strategy.prepare_for_update(REQUEST, new, old)
    assert new["metadata"]["annotations"] == {COUNT: "1", "mine": "kept"}
    new["spec"]["template"]["spec"]["containers"][0]["image"] = "other"
    DAEMON_SETS.strategy.prepare_for_update(REQUEST, new, old)
    assert new["metadata"]["annotations"] == {COUNT: "2", "mine": "kept"}


@pytest.mark.parametrize(
    ("rolling", "told"),
    [
        ({"maxUnavailable": "10%"}, []),
        ({"maxUnavailable": 0, "maxSurge": "30%"}, []),
        ({"maxUnavailable": 0}, ["maxUnavailable: Required value: cannot be 0 when maxSurge is 0"]),
        ({"maxSurge": 1}, ["maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"]),
        ({"maxUnavailable": "101%"}, ['maxUnavailable: Invalid value: "101%": must not be greater than 100%']),
        ({"maxUnavailable": -1}, ["maxUnavailable: Invalid value: -1: must be greater than or equal to 0"]),
    ],
)
def test_a_rolling_update_moves_one_way(rolling: JSONObject, told: list[str]) -> None:
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    expected = [f"spec.updateStrategy.rollingUpdate.{each}" for each in told]
    assert refusals(DAEMON_SETS, daemon_set(updateStrategy=strategy)) == expected


def test_its_pods_are_always_started_again() -> None:
    spec = daemon_set()
    spec["spec"]["template"]["spec"] |= {"restartPolicy": "OnFailure", "activeDeadlineSeconds": 5}
    assert refusals(DAEMON_SETS, spec) == [
        'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
        "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported",
    ]
