"""What kube-scheduler v1.37.0-rc.1 did with pods on nodes that were drawn at random, recorded from the real program:
every pod gets a place that it could have given, and the same words where there was none.

Where several nodes are equally good the real one threw dice, so its choice must be one of the best. Each pod is then
put where it was, so that one throw does not change all that follows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.scheduler.attempt import NoPlace
from localplane.scheduler.preemption import Preemption, PreemptionOutcome
from localplane.scheduler.sources import BUDGETS, SERVICES
from localplane.scheduler.state.pod_info import PodInfo
from tests.unit.scheduler.subjects import Setting

_HERE = Path(__file__).parent
PLACEMENTS: dict[str, JSONObject] = json.loads((_HERE / "recorded_placements.json").read_text(encoding="utf-8"))
PREEMPTIONS: dict[str, JSONObject] = json.loads((_HERE / "recorded_preemptions.json").read_text(encoding="utf-8"))


def _info(pod: JSONObject, **spec: Any) -> PodInfo:
    metadata = {"namespace": "default", "uid": pod["metadata"]["name"]} | pod["metadata"]
    return PodInfo(pod | {"metadata": metadata, "spec": pod["spec"] | spec})


async def _attempt(setting: Setting, info: PodInfo) -> tuple[list[str], PreemptionOutcome | None, str]:
    """The best nodes; or what came of preemption, and the message."""
    try:
        placement = await setting.place(info)
    except NoPlace as failure:
        preemption = Preemption(setting.cluster, setting.sources, setting.random)
        outcome = await preemption.find(info, failure.cycle, failure.diagnosis)
        failure.diagnosis.after = outcome.message
        return [], outcome, failure.diagnosis.message
    cycle = placement.cycle
    nodes = [node for node in setting.cluster.in_order() if setting.search.rejection(cycle, node) is None]
    scores = setting.search.scores(cycle, nodes)
    best = [node.name for node, score in zip(nodes, scores, strict=True) if score == max(scores)]
    assert placement.node_name in best
    return best, None, ""


@pytest.mark.parametrize("name", PLACEMENTS)
async def test_pods_are_placed_as_the_real_scheduler_places_them(name: str) -> None:
    recorded = PLACEMENTS[name]
    setting = Setting(*recorded["nodes"])
    for service in recorded["services"]:
        setting.sources.put(SERVICES, service | {"metadata": service["metadata"] | {"namespace": "default"}})
    for item in recorded["pods"]:
        best, _, message = await _attempt(setting, _info(item["pod"]))
        expected = item["outcome"]
        if "node" in expected:
            assert expected["node"] in best, item["pod"]["metadata"]["name"]
            setting.cluster.set_pod(_info(item["pod"], nodeName=expected["node"]))
        else:
            assert message == expected["message"]


@pytest.mark.parametrize("name", PREEMPTIONS)
async def test_the_same_pods_have_to_go_as_in_the_real_scheduler(name: str) -> None:
    recorded = PREEMPTIONS[name]
    setting = Setting(*recorded["nodes"])
    for budget in recorded["budgets"]:
        setting.sources.put(BUDGETS, budget | {"metadata": budget["metadata"] | {"namespace": "default"}})
    for pod in recorded["running"]:
        setting.cluster.set_pod(_info(pod))
    victims: set[str] = set()
    for item in recorded["pods"]:
        info, expected = _info(item["pod"]), item["outcome"]
        best, outcome, message = await _attempt(setting, info)
        if "node" in expected:
            assert expected["node"] in best
            setting.cluster.set_pod(_info(item["pod"], nodeName=expected["node"]))
            continue
        assert outcome is not None
        assert message == expected["message"]
        assert (outcome.nomination or None) == expected["nominated"]
        if outcome.candidate is not None:
            setting.cluster.nominations.set(info, outcome.candidate.node_name)
            victims |= {victim.name for victim in outcome.candidate.victims}
            for victim in outcome.candidate.victims:
                _begin_to_go(setting, victim)
    assert sorted(victims) == recorded["victims"]


def _begin_to_go(setting: Setting, victim: PodInfo) -> None:
    target = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    metadata = victim.pod["metadata"] | {"deletionTimestamp": "2024-01-01T01:00:00Z"}
    status = victim.pod["status"] | {"conditions": [target]}
    setting.cluster.set_pod(PodInfo(victim.pod | {"metadata": metadata, "status": status}))
