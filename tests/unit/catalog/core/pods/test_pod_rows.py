"""The row of a pod: what its containers come to in one word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.catalog.core.pods.columns import pod_cells, row_conditions

RUNNING = {"running": {"startedAt": "2024-01-01T00:00:00Z"}}
ENDED = {"terminated": {"exitCode": 0, "reason": "Completed"}}
READY = [{"type": "Ready", "status": "True"}]


def container(name: str, state: JSONObject, **more: Any) -> JSONObject:
    return {"name": name, "state": state, "ready": state is RUNNING, "restartCount": 0, **more}


def pod(status: JSONObject, **spec: Any) -> JSONObject:
    return {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "a"}, {"name": "b"}], **spec}, "status": status}


def init(*names: str, sidecar: str = "") -> list[JSONObject]:
    return [{"name": name} | ({"restartPolicy": "Always"} if name == sidecar else {}) for name in names]


@pytest.mark.parametrize(
    ("status", "spec", "ready", "word"),
    [
        ({"phase": "Pending"}, {}, "0/2", "Pending"),
        ({"phase": "Failed", "reason": "Evicted"}, {}, "0/2", "Evicted"),
        (
            {"phase": "Pending", "conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}]},
            {},
            "0/2",
            "SchedulingGated",
        ),
        (
            {"phase": "Running", "containerStatuses": [container("a", RUNNING), container("b", RUNNING)]},
            {},
            "2/2",
            "Running",
        ),
        (
            {
                "phase": "Running",
                "containerStatuses": [
                    container("a", {"waiting": {"reason": "CrashLoopBackOff"}}),
                    container("b", ENDED),
                ],
            },
            {},
            "0/2",
            "CrashLoopBackOff",
        ),
        (
            {"phase": "Running", "containerStatuses": [container("a", {"terminated": {"signal": 9, "exitCode": 137}})]},
            {},
            "0/2",
            "Signal:9",
        ),
        (
            {"phase": "Running", "containerStatuses": [container("a", {"terminated": {"exitCode": 3}})]},
            {},
            "0/2",
            "ExitCode:3",
        ),
        (
            {
                "phase": "Running",
                "conditions": READY,
                "containerStatuses": [container("a", ENDED), container("b", RUNNING)],
            },
            {},
            "1/2",
            "Running",
        ),
        (
            {"phase": "Running", "containerStatuses": [container("a", ENDED), container("b", RUNNING)]},
            {},
            "1/2",
            "NotReady",
        ),
        (
            {
                "phase": "Failed",
                "containerStatuses": [
                    container("a", ENDED),
                    container("b", {"terminated": {"exitCode": 1, "reason": "Error"}}),
                ],
            },
            {},
            "0/2",
            "Error",
        ),
        (
            {
                "phase": "Pending",
                "initContainerStatuses": [
                    container("i", ENDED),
                    container("j", {"waiting": {"reason": "PodInitializing"}}),
                ],
            },
            {"initContainers": init("i", "j")},
            "0/2",
            "Init:1/2",
        ),
        (
            {"phase": "Pending", "initContainerStatuses": [container("i", {"waiting": {"reason": "ErrImagePull"}})]},
            {"initContainers": init("i")},
            "0/2",
            "Init:ErrImagePull",
        ),
        (
            {"phase": "Pending", "initContainerStatuses": [container("i", {"terminated": {"exitCode": 2}})]},
            {"initContainers": init("i")},
            "0/2",
            "Init:ExitCode:2",
        ),
        (
            {
                "phase": "Running",
                "initContainerStatuses": [container("s", RUNNING, started=True)],
                "containerStatuses": [container("a", RUNNING), container("b", RUNNING)],
            },
            {"initContainers": init("s", sidecar="s")},
            "3/3",
            "Running",
        ),
    ],
)
def test_containers_come_to_one_word(status: JSONObject, spec: JSONObject, ready: str, word: str) -> None:
    assert pod_cells(pod(status, **spec))[1:3] == [ready, word]


def test_a_pod_that_is_being_deleted_says_so_until_it_has_ended() -> None:
    deleting = pod({"phase": "Running"})
    deleting["metadata"]["deletionTimestamp"] = "2024-01-01T00:00:00Z"
    assert pod_cells(deleting)[2] == "Terminating"
    deleting["status"]["reason"] = "NodeLost"
    assert pod_cells(deleting)[2] == "Unknown"
    deleting["status"] = {"phase": "Succeeded"}
    assert pod_cells(deleting)[2] == "Succeeded"


def test_restarts_tell_when_the_last_one_was() -> None:
    def ended(minutes: int) -> JSONObject:
        return {"terminated": {"finishedAt": format_time(datetime.now(UTC) - timedelta(minutes=minutes))}}

    statuses = [
        container("a", RUNNING, restartCount=2, lastState=ended(50)),
        container("b", RUNNING, restartCount=1, lastState=ended(20)),
    ]
    assert pod_cells(pod({"phase": "Running", "containerStatuses": statuses}))[3] == "3 (20m ago)"


def test_restarts_of_init_containers_are_forgotten_when_they_are_done() -> None:
    status = {
        "phase": "Running",
        "initContainerStatuses": [
            container("i", ENDED, restartCount=4),
            container("s", RUNNING, restartCount=1, started=True),
        ],
        "containerStatuses": [container("a", RUNNING, restartCount=2)],
    }
    assert pod_cells(pod(status, initContainers=init("i", "s", sidecar="s")))[3] == "3"


def test_wide_cells() -> None:
    status = {
        "phase": "Running",
        "podIPs": [{"ip": "10.1.1.1"}],
        "nominatedNodeName": "n2",
        "conditions": [{"type": "x", "status": "True"}],
    }
    gates = [{"conditionType": "x"}, {"conditionType": "y"}]
    assert pod_cells(pod(status, nodeName="n1", readinessGates=gates))[5:] == ["10.1.1.1", "n1", "n2", "1/2"]
    assert pod_cells(pod({}))[5:] == ["<none>"] * 4


def test_a_row_tells_that_a_pod_will_not_run_again() -> None:
    assert row_conditions(pod({"phase": "Running"})) == []
    assert [each["reason"] for each in row_conditions(pod({"phase": "Failed"}))] == ["Failed"]
