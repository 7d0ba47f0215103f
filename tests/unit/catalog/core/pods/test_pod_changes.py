"""Pods as they are made, and what may change of them later."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.rest import DeleteOptions
from localplane.catalog.core.pods.qos import qos_class
from localplane.catalog.core.pods.resource import pods
from localplane.catalog.core.pods.strategy import grace_period
from localplane.catalog.core.pods.subresources.resize import resize_errors
from localplane.catalog.options import CatalogOptions
from tests.unit.catalog.writing import REQUEST, change_refusals, created, status_refusals

PODS = pods(CatalogOptions())


def pod(**spec: Any) -> JSONObject:
    return created(PODS, {"spec": {"containers": [{"name": "c", "image": "i"}], **spec}})


def asks(requests: JSONObject, limits: JSONObject | None = None) -> JSONObject:
    resources = {name: amounts for name, amounts in (("requests", requests), ("limits", limits)) if amounts}
    return {"name": "c", "image": "i", "resources": resources}


def changed(before: JSONObject, **spec: Any) -> list[str]:
    new = copied(before)
    new["spec"] |= spec
    new["spec"] = {name: value for name, value in new["spec"].items() if value is not None}
    return change_refusals(PODS, before, new)


def test_a_new_pod_is_pending_whatever_it_says() -> None:
    assert pod()["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    gated = pod(schedulingGates=[{"name": "a/b"}])["status"]["conditions"][0]
    assert (gated["type"], gated["status"], gated["reason"]) == ("PodScheduled", "False", "SchedulingGated")


@pytest.mark.parametrize(
    ("containers", "found"),
    [
        ([asks({})], "BestEffort"),
        ([asks({"cpu": "1", "memory": "1Gi"}, {"cpu": "1000m", "memory": "1024Mi"})], "Guaranteed"),
        ([asks({"cpu": "1"})], "Burstable"),
        ([asks({"cpu": "1"}, {"cpu": "1"})], "Burstable"),
        ([asks({"cpu": "1", "memory": "1"}, {"cpu": "1", "memory": "1"}), asks({})], "Burstable"),
        ([asks({"cpu": "0"})], "BestEffort"),
    ],
)
def test_quality_of_service_follows_from_requests_and_limits(containers: list[JSONObject], found: str) -> None:
    assert qos_class({"spec": {"containers": containers}}) == found


@pytest.mark.parametrize(
    ("node", "phase", "asked", "period"),
    [
        ("", "Running", 60, 0),
        ("n", "Succeeded", None, 0),
        ("n", "Running", None, 30),
        ("n", "Running", 5, 5),
        ("n", "Running", 0, 0),
        ("n", "Running", -3, 1),
    ],
)
def test_only_what_runs_gets_time(node: str, phase: str, asked: int | None, period: int) -> None:
    obj = {"spec": {"nodeName": node, "terminationGracePeriodSeconds": 30}, "status": {"phase": phase}}
    assert grace_period(obj, asked) == period
    options = DeleteOptions(grace_period_seconds=asked)
    assert PODS.strategy.check_graceful_delete(REQUEST, obj, options)
    assert options.grace_period_seconds == period


def test_images_deadlines_and_tolerations_may_change() -> None:
    before = pod(activeDeadlineSeconds=100, tolerations=[{"key": "a", "operator": "Exists"}])
    assert changed(before, containers=[before["spec"]["containers"][0] | {"image": "new"}]) == []
    assert changed(before, activeDeadlineSeconds=50) == []
    more = [{"key": "b", "operator": "Exists"}, {"key": "a", "operator": "Exists"}]
    assert changed(before, tolerations=more) == []


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        (
            {"activeDeadlineSeconds": 200},
            "spec.activeDeadlineSeconds: Invalid value: 200: must be less than or equal to previous value",
        ),
        (
            {"activeDeadlineSeconds": None},
            "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
        ),
        (
            {"tolerations": []},
            "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
        ),
        (
            {"schedulingGates": [{"name": "x/y"}]},
            "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'x/y'",
        ),
        (
            {"containers": [{"name": "c", "image": "i"}] * 2},
            "spec.containers: Forbidden: pod updates may not add or remove containers",
        ),
    ],
)
def test_the_rest_is_refused(spec: JSONObject, error: str) -> None:
    before = pod(activeDeadlineSeconds=100, tolerations=[{"key": "a", "operator": "Exists"}])
    assert error in changed(before, **spec)


def test_a_refusal_shows_what_differs_as_go_does() -> None:
    (error,) = changed(pod(), restartPolicy="Never")
    assert error.startswith("spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,")
    assert error.endswith(
        "\n@@ -35,7 +35,7 @@\n   }\n  ],\n"
        '  "EphemeralContainers": null,\n- "RestartPolicy": "Always",\n+ "RestartPolicy": "Never",\n'
        '  "TerminationGracePeriodSeconds": 30,\n  "ActiveDeadlineSeconds": null,\n  "DNSPolicy": "ClusterFirst",\n'
    )


def node_terms(*keys: str) -> JSONObject:
    term = {"matchExpressions": [{"key": key, "operator": "Exists"} for key in keys]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def test_a_gated_pod_may_become_choosier() -> None:
    before = pod(schedulingGates=[{"name": "a/b"}], nodeSelector={"a": "b"}, affinity=node_terms("a"))
    assert changed(before, nodeSelector={"a": "b", "c": "d"}, affinity=node_terms("a", "b")) == []
    (selector,) = changed(before, nodeSelector={"a": "c"})
    assert selector.endswith("only additions to spec.nodeSelector are allowed (no mutations or deletions)")
    (affinity,) = changed(before, affinity=node_terms("b"))
    assert affinity.endswith(
        'nodeSelectorTerms[0]: Invalid value: {"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],'
        '"MatchFields":null}: only additions are allowed (no mutations or deletions)'
    )
    free = pod(nodeSelector={"a": "b"})
    assert changed(free, nodeSelector={"a": "b", "c": "d"})[0].startswith("spec: Forbidden: pod updates may not")


def status(**fields: Any) -> JSONObject:
    return {"phase": "Running", "qosClass": "BestEffort", **fields}


def test_a_container_that_has_ended_for_good_stays_so() -> None:
    ended = {"name": "c", "state": {"terminated": {"exitCode": 1}}}
    runs = {"name": "c", "state": {"running": {}}}
    for policy, allowed in (("Never", False), ("OnFailure", True), ("Always", True)):
        before = pod(restartPolicy=policy) | {"status": status(containerStatuses=[ended])}
        errors = status_refusals(PODS, before, status(containerStatuses=[runs]))
        assert (errors == []) is allowed, policy


@pytest.mark.parametrize(
    ("told", "error"),
    [
        ({"qosClass": "Guaranteed"}, 'status.qosClass: Invalid value: "Guaranteed": field is immutable'),
        (
            {"podIP": "10.0.0.1"},
            "status.podIPs: Invalid value: null: podIP and podIPs must either both be set or both be unset",
        ),
        (
            {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}]},
            'status.podIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `podIP`',
        ),
        (
            {"podIP": "1.1.1.1", "podIPs": [{"ip": "1.1.1.1"}, {"ip": "2.2.2.2"}]},
            (
                'status.podIPs: Invalid value: [{"IP":"1.1.1.1"},{"IP":"2.2.2.2"}]: '
                "may specify no more than one IP for each IP family"
            ),
        ),
        (
            {"nominatedNodeName": "n2"},
            "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node",
        ),
        ({"observedGeneration": -1}, "status.observedGeneration: Invalid value: -1: must be a non-negative integer"),
        (
            {"resourceClaimStatuses": [{"name": "x"}]},
            (
                'status.resourceClaimStatuses[0].name: Invalid value: "x": '
                "must match the name of an entry in `spec.resourceClaims`"
            ),
        ),
    ],
)
def test_a_status_that_contradicts_itself_is_refused(told: JSONObject, error: str) -> None:
    assert status_refusals(PODS, pod(nodeName="n"), status(**told)) == [error]


def test_what_an_old_node_leaves_out_of_a_status_stays() -> None:
    before = pod()
    before["status"] |= {"observedGeneration": 3, "conditions": [{"type": "Ready", "observedGeneration": 2}]}
    new = copied(before) | {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    assert PODS.status_strategy is not None
    PODS.status_strategy.prepare_for_update(REQUEST, new, before)
    assert new["status"]["qosClass"] == "BestEffort"
    assert (new["status"]["observedGeneration"], new["status"]["conditions"][0]["observedGeneration"]) == (3, 2)


def test_a_resize_changes_amounts_of_cpu_and_memory_only() -> None:
    before = pod(containers=[asks({"cpu": "1", "ephemeral-storage": "1Gi"})])

    def resized(requests: JSONObject) -> list[str]:
        new = copied(before)
        new["spec"]["containers"][0]["resources"] = {"requests": requests}
        return [str(error) for error in resize_errors(new, before)]

    assert resized({"cpu": "2", "memory": "1Gi", "ephemeral-storage": "1Gi"}) == []
    assert resized({"cpu": "1"})[0].endswith("resources.requests: Forbidden: resource requests cannot be removed")
    assert resized({"cpu": "1", "ephemeral-storage": "2Gi"}) == [
        "spec: Forbidden: only cpu and memory resources are mutable"
    ]
    assert (
        "Pod QOS Class may not change as a result of resizing" in resized({"cpu": "0", "ephemeral-storage": "1Gi"})[0]
    )
