"""Which pods go first when there are too many. Kubernetes: pkg/controller, ActivePodsWithRanks."""

from __future__ import annotations

from datetime import timedelta

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time, parse_time
from localplane.controllers.pods import least_useful_first, ranked_by_node

NOW = parse_time("2026-01-02T00:00:00Z")


def pod(
    name: str,
    *,
    node: str = "n",
    phase: str = "Running",
    ready: timedelta | None = timedelta(hours=1),
    created: timedelta = timedelta(hours=2),
    cost: str = "",
    restarts: int = 0,
    sidecar_restarts: int = 0,
) -> JSONObject:
    """`ready` is for how long."""
    metadata: JSONObject = {"name": name, "uid": name, "creationTimestamp": format_time(NOW - created)}
    if cost:
        metadata["annotations"] = {"controller.kubernetes.io/pod-deletion-cost": cost}
    condition = {"type": "Ready", "status": "False" if ready is None else "True"}
    if ready is not None:
        condition["lastTransitionTime"] = format_time(NOW - ready)
    return {
        "metadata": metadata,
        "spec": {"nodeName": node, "initContainers": [{"name": "side", "restartPolicy": "Always"}]},
        "status": {
            "phase": phase,
            "conditions": [condition],
            "containerStatuses": [{"name": "c", "restartCount": restarts}],
            "initContainerStatuses": [
                {"name": "side", "restartCount": sidecar_restarts},
                {"name": "first", "restartCount": 9},
            ],
        },
    }


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (pod("b", node=""), pod("a")),
        (pod("b", phase="Pending"), pod("a", phase="Unknown")),
        (pod("b", phase="Unknown"), pod("a")),
        (pod("b", ready=None), pod("a", cost="-5")),
        (pod("b", cost="-5"), pod("a", ready=timedelta(seconds=1))),
        (pod("b"), pod("a", cost="7")),
        (pod("b", ready=timedelta(minutes=1)), pod("a", restarts=5)),
        (pod("b", restarts=2), pod("a", restarts=1, created=timedelta(seconds=1))),
        (pod("b", sidecar_restarts=2), pod("a", sidecar_restarts=1, created=timedelta(seconds=1))),
        (pod("b", created=timedelta(minutes=1)), pod("a")),
        (pod("a", created=timedelta(minutes=121)), pod("b")),
        (pod("a", ready=timedelta(minutes=61)), pod("b")),
    ],
)
def test_the_less_useful_goes_first(first: JSONObject, last: JSONObject) -> None:
    for pods in ([first, last], [last, first]):
        assert least_useful_first(pods, [0, 0], NOW) == [first, last]


def test_of_ready_pods_those_go_first_that_have_company_on_their_node() -> None:
    alone, together, again = pod("a", node="x"), pod("b", node="y"), pod("c", node="y")
    gone = pod("d", node="x", phase="Failed")
    ranks = ranked_by_node([alone, together], [alone, together, again, gone])
    assert ranks == [1, 2]
    assert least_useful_first([alone, together], ranks, NOW) == [together, alone]


@pytest.mark.parametrize("cost", ["+5", "05", "five", " 5", "1_0", str(2**31), "9" * 5000])
def test_a_cost_that_is_no_number_counts_as_none(cost: str) -> None:
    odd, free = pod("b", cost=cost), pod("a", cost="-1")
    assert least_useful_first([odd, free], [0, 0], NOW) == [free, odd]
    assert least_useful_first([odd, pod("a", cost="1")], [0, 0], NOW)[0] == odd
