"""Which of several pods is talked to."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.streaming.remote import best_to_log, most_active
from localplane.apimachinery.objects import JSONObject


def pod(name: str, *, node: str = "n", ready: str = "", restarts: int = 0, sidecar: int = 0, **more: Any) -> JSONObject:
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": ready}] if ready else []
    return {
        "metadata": {"name": name, "creationTimestamp": more.get("created", "2026-01-05"), **more.get("metadata", {})},
        "spec": {"nodeName": node, "initContainers": [{"name": "s", "restartPolicy": "Always"}]},
        "status": {
            "phase": more.get("phase", "Running"),
            "conditions": conditions,
            "containerStatuses": [{"name": "c", "restartCount": restarts}],
            "initContainerStatuses": [{"name": "s", "restartCount": sidecar}],
        },
    }


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (pod("a"), pod("b", node="")),
        (pod("a"), pod("b", phase="Unknown")),
        (pod("a", phase="Unknown"), pod("b", phase="Pending")),
        (pod("a", ready="2026-01-01"), pod("b")),
        (pod("a", ready="2026-01-01"), pod("b", ready="2026-01-02")),
        (pod("a", created="2026-01-01"), pod("b", created="2026-01-02")),
    ],
)
def test_what_both_orders_prefer(better: JSONObject, worse: JSONObject) -> None:
    for order in (best_to_log, most_active):
        assert order([worse, better]) == order([better, worse]) == [better, worse]


def test_restarts_make_a_log_interesting_and_a_pod_less_so() -> None:
    for often, seldom in ((pod("a", restarts=3), pod("b")), (pod("a", sidecar=3), pod("b"))):
        assert best_to_log([seldom, often]) == [often, seldom]
        assert most_active([often, seldom]) == [seldom, often]


def test_pods_that_are_about_to_go_come_last_and_the_first_to_go_at_the_very_end() -> None:
    stays = pod("a", created="2026-01-09")
    later, sooner = (pod("b", metadata={"deletionTimestamp": f"2026-01-01T00:00:0{at}Z"}) for at in (9, 1))
    assert most_active([sooner, stays, later]) == [stays, later, sooner]


def test_a_pod_that_is_done_is_as_good_to_log_as_one_that_runs() -> None:
    done, waiting = pod("a", phase="Succeeded", created="2026-01-01"), pod("b", phase="Pending")
    assert best_to_log([waiting, pod("c"), done])[0] == done
    assert most_active([done, pod("c")])[0] == pod("c")
