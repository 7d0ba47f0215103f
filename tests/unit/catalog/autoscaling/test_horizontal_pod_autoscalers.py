"""Horizontal pod autoscalers: two versions of one object, rules, rows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.catalog.autoscaling.horizontal_pod_autoscalers import (
    HORIZONTAL_POD_AUTOSCALERS,
    autoscaler_cells,
    autoscaler_cells_of_v1,
)
from localplane.catalog.autoscaling.metrics import metrics_text
from localplane.catalog.autoscaling.v1 import from_hub, to_hub
from tests.unit.catalog.writing import REQUEST, change_refusals, created

HPA = HORIZONTAL_POD_AUTOSCALERS
NO_ZERO = "must specify at least one Object or External metric to support scaling to zero replicas"
ALPHA = "autoscaling.alpha.kubernetes.io/"
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
PODS = {
    "type": "Pods",
    "pods": {"metric": {"name": "packets"}, "target": {"type": "AverageValue", "averageValue": "1k"}},
}
OBJECT = {
    "type": "Object",
    "object": {
        "metric": {"name": "rps", "selector": {"matchLabels": {"a": "b"}}},
        "describedObject": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "main"},
        "target": {"type": "Value", "value": "10k"},
    },
}
EXTERNAL = {
    "type": "External",
    "external": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "30"}},
}
CONTAINER = {
    "type": "ContainerResource",
    "containerResource": {
        "name": "memory",
        "container": "c",
        "target": {"type": "AverageValue", "averageValue": "1Gi"},
    },
}


def autoscaler(**spec: Any) -> JSONObject:
    return {"spec": {"scaleTargetRef": DEPLOYMENT, "maxReplicas": 5} | spec}


def refusals(**spec: Any) -> list[str]:
    obj = created(HPA, autoscaler(**spec), "v2")
    return [str(error) for error in HPA.strategy.validate(REQUEST, obj)]


def test_v1_has_a_field_for_cpu_and_annotations_for_the_rest() -> None:
    hub = created(HPA, autoscaler(metrics=[CPU, PODS], behavior={"scaleDown": {"selectPolicy": "Disabled"}}), "v2")
    shown = from_hub(copied(hub))
    assert shown["spec"] == {
        "scaleTargetRef": DEPLOYMENT,
        "minReplicas": 1,
        "maxReplicas": 5,
        "targetCPUUtilizationPercentage": 50,
    }
    annotations = shown["metadata"]["annotations"]
    assert annotations[f"{ALPHA}metrics"] == (
        '[{"type":"Pods","pods":{"metricName":"packets","targetAverageValue":"1k"}}]'
    )
    assert json.loads(annotations[f"{ALPHA}behavior"])["ScaleDown"] == {
        "StabilizationWindowSeconds": None,
        "SelectPolicy": "Disabled",
        "Policies": [{"Type": "Percent", "Value": 100, "PeriodSeconds": 15}],
        "Tolerance": None,
    }
    assert shown["status"] == {"currentReplicas": 0, "desiredReplicas": 0}


@pytest.mark.parametrize("metrics", [[CPU], [PODS, OBJECT, EXTERNAL, CONTAINER, CPU], [OBJECT]])
def test_nothing_is_lost_on_the_way_to_v1_and_back(metrics: list[JSONObject]) -> None:
    status = {
        "desiredReplicas": 2,
        "currentReplicas": 1,
        "currentMetrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "current": {"averageUtilization": 7, "averageValue": "2m"}},
            },
            {"type": "Pods", "pods": {"metric": {"name": "packets"}, "current": {"averageValue": "3"}}},
        ],
        "conditions": [{"type": "AbleToScale", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}],
    }
    behavior = {"scaleUp": {"stabilizationWindowSeconds": 3, "tolerance": "100m"}}
    hub = created(HPA, autoscaler(metrics=metrics, behavior=behavior), "v2") | {"status": status}
    hub["metadata"]["annotations"] = {"mine": "kept"}
    assert to_hub(from_hub(copied(hub))) == hub


def test_v1_without_a_word_on_metrics_asks_for_80_percent_of_cpu() -> None:
    (metric,) = created(HPA, autoscaler(), "v1")["spec"]["metrics"]
    assert metric["resource"]["target"] == {"type": "Utilization", "averageUtilization": 80}


@pytest.mark.parametrize("text", ["", "{", "7", '[{"type":7}]', '[{"type":"Pods","pods":{"metricName":[]}}]', "[1]"])
def test_annotations_that_make_no_sense_count_as_none(text: str) -> None:
    obj = autoscaler() | {"metadata": {"name": "x", "annotations": {f"{ALPHA}metrics": text, f"{ALPHA}behavior": text}}}
    hub = created(HPA, obj, "v1")
    assert (len(hub["spec"]["metrics"]), "behavior" in hub["spec"]) == (1, False)
    assert "annotations" not in hub["metadata"]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({}, []),
        ({"maxReplicas": 0, "minReplicas": 0, "metrics": [EXTERNAL]}, ["maxReplicas: Required value"]),
        ({"minReplicas": 9}, ["maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`"]),
        (
            {"minReplicas": 0},
            [f"metrics: Forbidden: {NO_ZERO}"],
        ),
        (
            {"scaleTargetRef": {"kind": "Deployment"}},
            [
                "scaleTargetRef.name: Required value",
                'scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
            ],
        ),
        ({"scaleTargetRef": {"kind": "ReplicationController", "name": "a"}}, []),
        (
            {"metrics": [{"type": "Pods"}, PODS | {"resource": {}}]},
            [
                "metrics[0].pods: Required value: must populate information for the given metric source",
                "metrics[1].resource: Forbidden: must populate the given metric source only",
            ],
        ),
        (
            {"behavior": {"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 1801}]}}},
            ["behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800"],
        ),
        (
            {"behavior": {"scaleDown": {"tolerance": "-1"}}},
            ['behavior.scaleDown.tolerance: Invalid value: "-1": must be greater than or equal to 0'],
        ),
    ],
)
def test_what_is_wrong_with_an_autoscaler_is_told_in_kubernetes_words(spec: JSONObject, told: list[str]) -> None:
    assert refusals(**spec) == [f"spec.{each}" for each in told]


def test_a_target_of_a_kind_that_was_taken_before_is_not_asked_about_again() -> None:
    old = created(HPA, autoscaler(scaleTargetRef={"kind": "Deployment", "name": "a"}), "v2")
    new = copied(old)
    new["spec"]["scaleTargetRef"]["name"] = "b"
    assert change_refusals(HPA, old, new) == []


@pytest.mark.parametrize(
    ("metrics", "statuses", "text"),
    [
        ([], [], "<none>"),
        ([CPU], [], "cpu: <unknown>/50%"),
        ([CPU], [{"type": "Resource", "resource": {"current": {"averageUtilization": 12}}}], "cpu: 12%/50%"),
        ([EXTERNAL, OBJECT], [], "<unknown>/30 (avg), <unknown>/10k"),
        ([PODS, CONTAINER, CPU], [], "<unknown>/1k, memory: <unknown>/1Gi + 1 more..."),
        ([{"type": "New"}], [], "<unknown type>"),
    ],
)
def test_metrics_are_shown_with_what_is_and_what_should_be(
    metrics: list[JSONObject], statuses: list[JSONObject], text: str
) -> None:
    assert metrics_text(metrics, statuses) == text


def test_both_versions_show_the_same_row() -> None:
    hub = created(HPA, autoscaler(metrics=[PODS, CPU]), "v2")
    row = ["x", "Deployment/web", "<unknown>/1k, cpu: <unknown>/50%", "1", 5, 0, "<unknown>"]
    assert autoscaler_cells(hub) == row
    of_v1 = from_hub(copied(hub))
    before = copied(of_v1)
    assert autoscaler_cells_of_v1(of_v1) == row
    assert of_v1 == before
