"""Deployments and replica sets: defaults, rules, what may change, rows."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.catalog.apps.deployments import DEPLOYMENTS, deployment_cells
from localplane.catalog.apps.replica_sets import REPLICA_SETS, replica_set_cells
from tests.unit.catalog.writing import REQUEST, change_refusals, created, refusals, status_refusals

UNMATCHED = "`selector` does not match template `labels`"
MAGIC = '{"Type":"Magic","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":2}}'


def deployment(**spec: Any) -> JSONObject:
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "img"}]}}
    return {"spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template} | spec}


def test_a_deployment_rolls_by_quarters_unless_it_says_otherwise() -> None:
    spec = created(DEPLOYMENTS, deployment())["spec"]
    assert spec["strategy"] == {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}
    assert (spec["replicas"], spec["revisionHistoryLimit"], spec["progressDeadlineSeconds"]) == (1, 10, 600)
    assert created(DEPLOYMENTS, deployment(strategy={"type": "Recreate"}))["spec"]["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({}, []),
        ({"replicas": -1}, ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"]),
        ({"selector": {}}, ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]),
        (
            {"selector": {"matchLabels": {"b": "x", "app": "a"}}},
            ['spec.template.metadata.labels: Invalid value: {"app":"a"}: ' + UNMATCHED],
        ),
        (
            {"strategy": {"type": "Magic", "rollingUpdate": {"maxSurge": 2}}},
            [f'spec.strategy: Unsupported value: {MAGIC}: supported values: "Recreate", "RollingUpdate"'],
        ),
        (
            {"strategy": {"rollingUpdate": {"maxUnavailable": "0%", "maxSurge": 0}}},
            [
                'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0',
            ],
        ),
        (
            {"progressDeadlineSeconds": 5, "minReadySeconds": 5},
            ["spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"],
        ),
    ],
)
def test_what_is_wrong_with_a_deployment_is_told_in_kubernetes_words(spec: JSONObject, told: list[str]) -> None:
    assert refusals(DEPLOYMENTS, deployment(**spec)) == told


def test_a_selector_that_cannot_be_read_is_told_as_a_whole_and_in_part() -> None:
    bad = {"matchExpressions": [{"key": "a", "operator": "Near"}]}
    assert refusals(DEPLOYMENTS, deployment(selector=bad)) == [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Near"}]}: invalid label selector',
    ]


@pytest.mark.parametrize("resource", [DEPLOYMENTS, REPLICA_SETS])
def test_a_selector_stays_what_it_was(resource: Any) -> None:
    old = created(resource, deployment())
    new = copied(old)
    new["spec"]["selector"] = {"matchExpressions": [{"key": "app", "operator": "Exists"}]}
    assert change_refusals(resource, old, new) == [
        'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable'
    ]


def test_changed_annotations_make_a_new_generation_of_a_deployment() -> None:
    old = created(DEPLOYMENTS, deployment())
    new = copied(old)
    new["metadata"]["annotations"] = {"why": "rollout"}
    DEPLOYMENTS.strategy.prepare_for_update(REQUEST, new, old)
    assert new["metadata"]["generation"] == 2


def test_a_status_brings_annotations_but_no_labels() -> None:
    old = created(DEPLOYMENTS, deployment() | {"metadata": {"labels": {"kept": "yes"}}})
    new = copied(old) | {"status": {"replicas": 1}}
    new["metadata"] |= {"labels": {"other": "x"}, "annotations": {"a": "b"}}
    new["spec"] = {}
    strategy = DEPLOYMENTS.status_strategy
    assert strategy is not None
    strategy.prepare_for_update(REQUEST, new, old)
    assert (new["metadata"]["labels"], new["metadata"]["annotations"]) == ({"kept": "yes"}, {"a": "b"})
    assert (new["spec"], new["status"]) == (old["spec"], {"replicas": 1})


def test_there_are_never_more_ready_pods_than_pods() -> None:
    old = created(DEPLOYMENTS, deployment()) | {"status": {"collisionCount": 2}}
    assert status_refusals(DEPLOYMENTS, old, {"replicas": 1, "readyReplicas": 2, "availableReplicas": 3}) == [
        "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
        "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
        "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas",
        "status.collisionCount: Invalid value: 0: cannot be decremented",
    ]


def test_a_name_that_is_no_label_is_warned_about() -> None:
    (warning,) = DEPLOYMENTS.strategy.warnings_on_create(
        REQUEST, created(DEPLOYMENTS, deployment() | {"metadata": {"name": "a.b"}})
    )
    assert warning.endswith("a DNS label is recommended: [must not contain dots]")


def test_a_revision_to_go_back_to_must_be_a_number() -> None:
    annotated = {"metadata": {"annotations": {"deprecated.deployment.rollback.to": "x"}}}
    with pytest.raises(BadRequest, match=r'as int64: strconv.ParseInt: parsing "x": invalid syntax'):
        created(DEPLOYMENTS, deployment() | annotated)


def test_rows_tell_what_is_there_and_what_should_be() -> None:
    selector = {"matchLabels": {"app": "a"}, "matchExpressions": [{"key": "t", "operator": "In", "values": ["y", "x"]}]}
    obj = created(DEPLOYMENTS, deployment(selector=selector, replicas=3))
    obj["status"] = {"readyReplicas": 2, "updatedReplicas": 1, "replicas": 3}
    unknown = "<unknown>"
    assert deployment_cells(obj) == ["x", "2/3", 1, 0, unknown, "c", "img", "app=a,t in (x,y)"]
    assert replica_set_cells(obj) == ["x", 3, 3, 2, unknown, "c", "img", "app=a,t in (x,y)"]
