"""When a node was last heard of, on our own clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time
from localplane.controllers.nodes.node_lifecycle.health import Heartbeats, silent

LONG_AGO = "2020-01-01T00:00:00Z"


def node(heartbeat: str | None = None, *, created: str = LONG_AGO) -> JSONObject:
    conditions = [] if heartbeat is None else [{"type": "Ready", "status": "True", "lastHeartbeatTime": heartbeat}]
    return {"metadata": {"name": "n", "creationTimestamp": created}, "status": {"conditions": conditions}}


def test_what_is_seen_first_is_heard_now_however_old_it_says_it_is() -> None:
    heartbeats = Heartbeats()
    heartbeats.hear_status(node(LONG_AGO), 100.0)
    assert heartbeats.last("n") == 100.0


def test_the_same_heartbeat_again_is_no_sign_of_life() -> None:
    heartbeats = Heartbeats()
    heartbeats.hear_status(node(LONG_AGO), 100.0)
    heartbeats.hear_status(node(LONG_AGO), 200.0)
    assert heartbeats.last("n") == 100.0
    heartbeats.hear_status(node("2020-01-01T00:00:01Z"), 300.0)
    assert heartbeats.last("n") == 300.0


def test_a_node_that_never_spoke_is_silent_since_it_was_made() -> None:
    heartbeats = Heartbeats()
    heartbeats.hear_status(node(created=format_time(datetime.now(UTC) - timedelta(seconds=60))), 100.0)
    assert 38.0 < heartbeats.last("n") < 42.0


def test_a_lease_counts_when_it_is_renewed() -> None:
    heartbeats = Heartbeats()
    heartbeats.hear_status(node(LONG_AGO), 100.0)
    heartbeats.hear_lease("n", "2020-01-01T00:00:00.000000Z", 200.0)
    heartbeats.hear_lease("n", "2020-01-01T00:00:00.000000Z", 300.0)
    assert heartbeats.last("n") == 200.0
    heartbeats.hear_lease("n", "2020-01-01T00:00:10.000000Z", 400.0)
    assert heartbeats.last("n") == 400.0
    heartbeats.forget_lease("n")
    assert heartbeats.last("n") == 100.0


def test_an_excuse_is_for_all() -> None:
    heartbeats = Heartbeats()
    heartbeats.hear_status(node(LONG_AGO), 100.0)
    heartbeats.excuse(500.0)
    assert heartbeats.last("n") == 500.0


def test_a_node_that_is_unknown_already_is_not_written_again() -> None:
    lost = silent(node(LONG_AGO), "2021-01-01T00:00:00Z")
    assert [each["type"] for each in lost["status"]["conditions"]] == [
        "Ready",
        "MemoryPressure",
        "DiskPressure",
        "PIDPressure",
    ]
    assert silent(lost, "2022-01-01T00:00:00Z") is lost
