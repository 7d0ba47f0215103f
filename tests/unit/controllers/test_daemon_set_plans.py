"""Where daemons belong, which of them give way next, and how long one that fails must wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.controllers.workloads.daemon_sets.execution import FailedPodsBackoff
from localplane.controllers.workloads.daemon_sets.placement import (
    DaemonPlacement,
    NodeJudgement,
    daemon_tolerations,
    new_pod,
    node_of,
)
from localplane.controllers.workloads.daemon_sets.plan import NodeByNode, Plan, surge_count, unavailable_count
from localplane.controllers.workloads.daemon_sets.rolling_update import RollingUpdate

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def daemon_set(*, pod_spec: JSONObject | None = None, **rolling: Any) -> JSONObject:
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling or {"maxUnavailable": 1}}
    metadata = {"name": "agent", "namespace": "ns", "uid": "u"}
    spec = {"template": {"metadata": {}, "spec": pod_spec or {}}, "updateStrategy": strategy, "minReadySeconds": 10}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}


def node(name: str, *effects: str) -> JSONObject:
    return {"metadata": {"name": name}, "spec": {"taints": [{"key": "own", "effect": effect} for effect in effects]}}


def pod(
    name: str,
    *,
    on: str = "a",
    revision: str = "new",
    ready_for: int | None = 60,
    phase: str = "Running",
    **metadata: Any,
) -> JSONObject:
    conditions = []
    if ready_for is not None:
        since = format_time(NOW - timedelta(seconds=ready_for))
        conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": since}]
    labels = {"controller-revision-hash": revision}
    return {
        "metadata": {"name": name, "labels": labels, "creationTimestamp": name, **metadata},
        "spec": {"nodeName": on} if on else {},
        "status": {"phase": phase, "conditions": conditions},
    }


def names(pods: list[JSONObject]) -> list[str]:
    return [each["metadata"]["name"] for each in pods]


@pytest.mark.parametrize(
    ("effects", "expected"),
    [
        ((), NodeJudgement(should_run=True, should_continue=True)),
        (("PreferNoSchedule",), NodeJudgement(should_run=True, should_continue=True)),
        (("NoSchedule",), NodeJudgement(should_run=False, should_continue=True)),
        (("NoExecute",), NodeJudgement(should_run=False, should_continue=False)),
    ],
)
def test_taints_keep_pods_away_or_drive_them_out(effects: tuple[str, ...], expected: NodeJudgement) -> None:
    assert DaemonPlacement(daemon_set()).judge(node("a", *effects)) == expected


def test_another_node_and_another_label_are_out_of_the_question() -> None:
    nowhere = NodeJudgement(should_run=False, should_continue=False)
    assert DaemonPlacement(daemon_set(pod_spec={"nodeName": "b"})).judge(node("a")) == nowhere
    assert DaemonPlacement(daemon_set(pod_spec={"nodeSelector": {"color": "blue"}})).judge(node("a")) == nowhere


def test_tolerations_that_end_give_way_to_those_that_do_not() -> None:
    brief = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
    tolerations = daemon_tolerations({"tolerations": [brief], "hostNetwork": True})
    assert tolerations[0] == {key: value for key, value in brief.items() if key != "tolerationSeconds"}
    assert [each["key"].partition("/")[2] for each in tolerations] == [
        "not-ready",
        "unreachable",
        "disk-pressure",
        "memory-pressure",
        "pid-pressure",
        "unschedulable",
        "network-unavailable",
    ]


def test_a_pod_is_for_the_node_that_it_was_made_for() -> None:
    preferred: JSONObject = {"preferredDuringSchedulingIgnoredDuringExecution": []}
    terms: JSONObject = {"nodeSelectorTerms": [{"matchExpressions": []}]}
    required: JSONObject = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    wanted = daemon_set(pod_spec={"affinity": {"nodeAffinity": preferred | required, "podAffinity": {}}})
    made = new_pod(wanted, "b", "hash")
    assert node_of(made) == "b"
    assert made["spec"]["affinity"]["podAffinity"] == {}
    assert made["spec"]["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] == []
    assert "matchFields" not in str(wanted)
    assert node_of({"spec": {"nodeName": "c"}}) == "c"
    assert node_of({"spec": {}}) is None


def judged(wanted: JSONObject, nodes: list[JSONObject]) -> dict[str, NodeJudgement]:
    return {each["metadata"]["name"]: DaemonPlacement(wanted).judge(each) for each in nodes}


def planned(wanted: JSONObject, nodes: list[JSONObject], pods: dict[str, list[JSONObject]]) -> Plan:
    return NodeByNode(wanted, "new", NOW).plan(judged(wanted, nodes), pods)


def test_every_node_gets_one_and_of_several_the_oldest_stays() -> None:
    plan = planned(daemon_set(), [node("a"), node("b")], {"a": [pod("2"), pod("1"), pod("0", on="")]})
    assert plan.nodes == ["b"]
    assert names(plan.pods) == ["2", "0"]


def test_a_pod_that_is_going_keeps_its_node_busy_unless_new_ones_may_surge() -> None:
    going = {"a": [pod("1", deletionTimestamp="soon")]}
    assert planned(daemon_set(), [node("a")], going).nodes == []
    assert planned(daemon_set(maxSurge=1), [node("a")], going).nodes == ["a"]


def test_pods_that_ended_are_told_apart() -> None:
    plan = planned(daemon_set(), [node("a")], {"a": [pod("1", phase="Failed"), pod("2", phase="Succeeded")]})
    assert names(plan.ended) == ["1", "2"]
    assert plan.pods == []


def test_pods_for_nodes_that_are_gone_go_if_nobody_bound_them() -> None:
    assert names(planned(daemon_set(), [], {"a": [pod("1"), pod("2", on="")]}).pods) == ["2"]


@pytest.mark.parametrize(
    ("old_ready", "new_ready", "gone"),
    [(60, 60, ["1"]), (60, 5, []), (60, None, []), (None, None, ["1"])],
)
def test_two_may_be_on_a_node_only_while_the_old_serves_and_the_new_is_not_available(
    old_ready: int | None, new_ready: int | None, gone: list[str]
) -> None:
    pods = [pod("1", revision="old", ready_for=old_ready), pod("2", ready_for=new_ready)]
    assert names(planned(daemon_set(maxSurge=1), [node("a")], {"a": pods}).pods) == gone


def rolled(wanted: JSONObject, pods: dict[str, list[JSONObject]], *more: str, tainted: tuple[str, ...] = ()) -> Plan:
    nodes = [node(name, *(["NoSchedule"] if name in tainted else [])) for name in (*pods, *more)]
    return RollingUpdate(wanted, "new", judged(wanted, nodes), NOW).plan(pods)


def test_no_more_old_pods_go_than_may_be_missing() -> None:
    pods = {name: [pod(name, on=name, revision="old")] for name in "abcd"}
    assert names(rolled(daemon_set(maxUnavailable="50%"), pods).pods) == ["a", "b"]
    assert names(rolled(daemon_set(maxUnavailable=1), pods).pods) == ["a"]
    assert names(rolled(daemon_set(maxUnavailable=2), pods, "empty").pods) == ["a"]
    assert names(rolled(daemon_set(maxUnavailable=0), pods).pods) == ["a"]


def test_old_pods_that_are_not_available_go_in_any_case() -> None:
    pods = {
        "a": [pod("a", on="a", revision="old")],
        "b": [pod("b", on="b", revision="old", ready_for=None)],
        "c": [pod("c", on="c", ready_for=5)],
    }
    assert names(rolled(daemon_set(maxUnavailable=1), pods).pods) == ["b"]
    assert names(rolled(daemon_set(maxUnavailable=3), pods).pods) == ["b", "a"]


def test_surge_brings_new_pods_beside_old_ones() -> None:
    pods = {
        "a": [pod("a", on="a", revision="old")],
        "b": [pod("b", on="b", revision="old", ready_for=None)],
        "c": [pod("c", on="c", revision="old"), pod("c2", on="c")],
        "d": [pod("d", on="d", revision="old"), pod("d2", on="d", ready_for=5)],
        "e": [pod("e", on="e")],
    }
    one = rolled(daemon_set(maxSurge=1, maxUnavailable=0), pods)
    assert names(one.pods) == ["c"]
    assert one.nodes == ["b"]
    assert rolled(daemon_set(maxSurge=2, maxUnavailable=0), pods).nodes == ["b", "a"]


def test_surge_takes_a_misplaced_pod_away_when_another_has_taken_over() -> None:
    old = {"a": [pod("a", on="a", revision="old")]}
    surge = daemon_set(maxSurge=1, maxUnavailable=0)
    assert rolled(surge, old | {"b": [pod("b", on="b", ready_for=5)]}, tainted=("a",)).pods == []
    assert names(rolled(surge, old | {"b": [pod("b", on="b")]}, tainted=("a",)).pods) == ["a"]


def test_shares_are_rounded_up() -> None:
    assert unavailable_count(daemon_set(maxUnavailable="10%"), 15) == 2
    assert surge_count(daemon_set(maxSurge="1%"), 1) == 1
    assert surge_count(daemon_set(), 10) == 0


def test_a_pod_that_fails_again_waits_twice_as_long() -> None:
    moment = 0.0
    backoff = FailedPodsBackoff(clock=lambda: moment)
    assert backoff.delay("k") is None
    assert backoff.delay("k") == timedelta(seconds=1)
    moment = 1.0
    assert backoff.delay("k") is None
    moment = 2.5
    assert backoff.delay("k") == timedelta(seconds=0.5)
    assert backoff.delay("other") is None
    moment = 1.0 + 2 * 15 * 60.0 + 1
    assert backoff.delay("k") is None
    assert backoff.delay("k") == timedelta(seconds=1)
