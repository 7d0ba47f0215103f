"""Who has to go for an important pod, and where."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.scheduler.attempt import NoPlace
from localplane.scheduler.preemption import Candidate, Preemption, PreemptionOutcome
from localplane.scheduler.sources import BUDGETS
from localplane.scheduler.state.pod_info import PodInfo
from tests.unit.scheduler.subjects import HOSTNAME, Setting, node, pod

ONE_CPU = {"cpu": "1"}


async def outcome(setting: Setting, info: PodInfo) -> PreemptionOutcome:
    with pytest.raises(NoPlace) as failure:
        await setting.place(info)
    preemption = Preemption(setting.cluster, setting.sources, setting.random)
    return await preemption.find(info, failure.value.cycle, failure.value.diagnosis)


async def candidate(setting: Setting, info: PodInfo) -> Candidate:
    found = (await outcome(setting, info)).candidate
    assert found is not None
    return found


def names_of(found: Candidate) -> list[str]:
    return [victim.name for victim in found.victims]


async def test_no_more_go_than_must_and_the_least_important_first() -> None:
    setting = Setting(node("a", allocatable={"cpu": "3"}))
    for name, priority in (("low", 1), ("middle", 2), ("high", 3)):
        setting.put("a", name=name, priority=priority, requests=ONE_CPU)
    assert names_of(await candidate(setting, pod(priority=10, requests=ONE_CPU))) == ["low"]
    assert names_of(await candidate(setting, pod(priority=10, requests={"cpu": "2"}))) == ["middle", "low"]


async def test_those_who_are_as_important_stay() -> None:
    setting = Setting(node("a", allocatable={"cpu": "1"}), node("b", taints=[{"key": "x", "effect": "NoSchedule"}]))
    setting.put("a", priority=10, requests=ONE_CPU)
    found = await outcome(setting, pod(priority=10, requests=ONE_CPU))
    assert found.candidate is None
    assert found.nomination == ""
    assert found.message == (
        "preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, "
        "1 Preemption is not helpful for scheduling."
    )


async def test_a_node_that_will_not_do_even_empty_says_why() -> None:
    setting = Setting(node("a", allocatable={"cpu": "2"}))
    setting.put("a", priority=10, requests=ONE_CPU)
    setting.put("a", priority=1, requests=ONE_CPU)
    found = await outcome(setting, pod(priority=5, requests={"cpu": "2"}))
    assert found.message == "preemption: 0/1 nodes are available: 1 Insufficient cpu."


def _budget(allowed: int) -> dict[str, Any]:
    return {
        "metadata": {"name": "budget", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}},
        "status": {"disruptionsAllowed": allowed},
    }


@pytest.mark.parametrize(("allowed", "node_name"), [(0, "b"), (1, "a")])
async def test_a_budget_is_kept_if_it_can_be(allowed: int, node_name: str) -> None:
    setting = Setting(node("a", allocatable={"cpu": "1"}), node("b", allocatable={"cpu": "1"}))
    setting.sources.put(BUDGETS, _budget(allowed))
    setting.put("a", labels={"app": "web"}, priority=1, requests=ONE_CPU)
    setting.put("b", priority=2, requests=ONE_CPU)
    found = await candidate(setting, pod(priority=10, requests=ONE_CPU))
    assert found.node_name == node_name
    assert found.violations == 0


async def test_if_it_must_be_a_budget_is_broken() -> None:
    setting = Setting(node("a", allocatable={"cpu": "1"}))
    setting.sources.put(BUDGETS, _budget(0))
    setting.put("a", labels={"app": "web"}, requests=ONE_CPU)
    assert (await candidate(setting, pod(priority=10, requests=ONE_CPU))).violations == 1


async def test_of_equal_nodes_the_one_is_taken_whose_pod_has_run_shortest() -> None:
    setting = Setting(node("a", allocatable={"cpu": "1"}), node("b", allocatable={"cpu": "1"}))
    setting.put("a", requests=ONE_CPU, status={"startTime": "2024-01-01T00:00:00Z"})
    setting.put("b", requests=ONE_CPU, status={"startTime": "2024-01-02T00:00:00Z"})
    assert (await candidate(setting, pod(priority=10, requests=ONE_CPU))).node_name == "b"


async def test_a_pod_does_not_preempt_again_while_its_victim_is_going() -> None:
    setting = Setting(node("a", allocatable={"cpu": "1"}))
    target = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    victim = setting.put("a", requests=ONE_CPU, status={"conditions": [target]})
    victim.pod["metadata"]["deletionTimestamp"] = "2024-01-01T00:00:00Z"
    info = pod(priority=10, requests=ONE_CPU, status={"nominatedNodeName": "a"})
    found = await outcome(setting, info)
    assert found == PreemptionOutcome("preemption: not eligible due to a terminating pod on the nominated node.")


async def test_a_neighbour_that_is_not_wanted_has_to_go() -> None:
    setting = Setting(node("a"))
    term = {"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {"app": "web"}}}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    setting.put("a", name="web", labels={"app": "web"})
    setting.put("a", name="other")
    assert names_of(await candidate(setting, pod(priority=10, affinity=apart))) == ["web"]
