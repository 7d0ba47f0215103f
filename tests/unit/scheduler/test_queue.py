"""Who is tried next, and what wakes those who wait."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from localplane.scheduler.plugins import names
from localplane.scheduler.queue import QueuedPod, SchedulingQueue
from localplane.scheduler.queueing_hints import ADDED, DELETED, Happening, Wakes, node_changes
from localplane.scheduler.sources import CLAIMS, NODES, PODS
from localplane.scheduler.state.pod_info import PodInfo
from tests.unit.scheduler.subjects import node, pod, pod_object


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(clock: Clock) -> SchedulingQueue:
    def gate(info: PodInfo) -> str:
        return names.SCHEDULING_GATES if info.spec.get("schedulingGates") else ""

    return SchedulingQueue(Wakes(), gate, clock=clock)


async def take(queue: SchedulingQueue) -> QueuedPod | None:
    """The next, if there is one now."""
    waiting = asyncio.ensure_future(queue.pop())
    for _ in range(5):
        await asyncio.sleep(0)
    if waiting.done():
        return waiting.result()
    waiting.cancel()
    return None


async def name_of_next(queue: SchedulingQueue) -> str | None:
    queued = await take(queue)
    return queued.info.name if queued is not None else None


async def reject(queue: SchedulingQueue, *plugins: str) -> QueuedPod:
    queued = await take(queue)
    assert queued is not None
    queue.put_back(queued, queued.info, frozenset(plugins))
    return queued


DEPARTURE = Happening(PODS, DELETED, pod=pod(nodeName="a"))


async def test_the_most_important_goes_first_then_who_came_first(queue: SchedulingQueue, clock: Clock) -> None:
    for name, priority in (("a", 0), ("b", 5), ("c", 0), ("d", 5)):
        clock.now += 1
        queue.add(pod(name, priority=priority))
    assert [await name_of_next(queue) for _ in range(5)] == ["b", "d", "a", "c", None]


async def test_a_rejected_pod_sleeps_until_something_helps(queue: SchedulingQueue) -> None:
    queue.add(pod("a"))
    await reject(queue, names.NODE_RESOURCES_FIT)
    assert await name_of_next(queue) is None
    queue.move(Happening(NODES, DELETED, old=node("x")))
    assert await name_of_next(queue) is None
    queue.move(DEPARTURE)
    assert await name_of_next(queue) == "a"


async def test_a_woken_pod_lets_those_go_first_who_were_not_tried(queue: SchedulingQueue, clock: Clock) -> None:
    queue.add(pod("tried"))
    await reject(queue, names.NODE_RESOURCES_FIT)
    queue.move(DEPARTURE)
    queue.add(pod("new"))
    assert await name_of_next(queue) == "new"
    clock.now += 1
    assert await name_of_next(queue) == "tried"


async def test_after_an_error_a_pod_waits_longer_and_longer(queue: SchedulingQueue, clock: Clock) -> None:
    queue.add(pod("a"))
    for wait in (1, 2, 4, 8, 10, 10):
        await reject(queue)
        assert await name_of_next(queue) is None
        clock.now += wait - 0.1
        assert await name_of_next(queue) is None
        clock.now += 0.1


async def test_what_happens_during_an_attempt_is_not_missed(queue: SchedulingQueue) -> None:
    queue.add(pod("a"))
    queued = await take(queue)
    assert queued is not None
    queue.move(DEPARTURE)
    queue.put_back(queued, queued.info, frozenset((names.NODE_RESOURCES_FIT,)))
    assert await name_of_next(queue) == "a"


async def test_a_pod_that_was_deleted_is_not_tried(queue: SchedulingQueue) -> None:
    info = pod("a")
    queue.add(info)
    queue.delete(info.uid)
    assert await name_of_next(queue) is None


async def test_a_gated_pod_comes_when_its_last_gate_is_gone(queue: SchedulingQueue) -> None:
    gated = pod_object("a", schedulingGates=[{"name": "x"}])
    queue.add(PodInfo(gated))
    queue.move(DEPARTURE)
    assert await name_of_next(queue) is None
    free = gated | {"spec": {key: value for key, value in gated["spec"].items() if key != "schedulingGates"}}
    queue.update(PodInfo(gated), PodInfo(free))
    assert await name_of_next(queue) == "a"


async def test_a_pod_for_which_others_are_moved_out_waits_until_that_is_done(queue: SchedulingQueue) -> None:
    queue.add(pod("a"))
    queued = await reject(queue, names.NODE_RESOURCES_FIT)
    queue.hold(queued.info.uid)
    queue.move(DEPARTURE)
    assert await name_of_next(queue) is None
    queue.release(queued.info.uid, wake=False)
    assert await name_of_next(queue) == "a"


async def test_who_has_waited_for_long_is_tried_anyway(queue: SchedulingQueue, clock: Clock) -> None:
    queue.add(pod("a"))
    await reject(queue, names.NODE_AFFINITY)
    clock.now += 299
    assert await name_of_next(queue) is None
    clock.now += 1
    assert await name_of_next(queue) == "a"


def _wakes(info: PodInfo, plugin: str, *happenings: Happening) -> bool:
    queued = QueuedPod(info, 0.0, rejectors=frozenset((plugin,)))
    return any(Wakes().wake(queued, happening) for happening in happenings)


def test_a_node_helps_only_if_it_changed_to_the_better() -> None:
    tainted: dict[str, Any] = node("a", taints=[{"key": "x", "effect": "NoSchedule"}], allocatable={"cpu": "1"})
    clean = node("a", allocatable={"cpu": "1"})
    larger = node("a", allocatable={"cpu": "3"})
    small, large = pod(requests={"cpu": "500m"}), pod(requests={"cpu": "2"})
    assert _wakes(small, names.TAINT_TOLERATION, *node_changes(tainted, clean))
    assert not _wakes(small, names.TAINT_TOLERATION, *node_changes(clean, tainted))
    assert not _wakes(small, names.NODE_AFFINITY, *node_changes(tainted, clean))
    assert _wakes(large, names.NODE_RESOURCES_FIT, *node_changes(clean, larger))
    assert not _wakes(large, names.NODE_RESOURCES_FIT, *node_changes(larger, clean))
    assert not _wakes(large, names.NODE_RESOURCES_FIT, Happening(NODES, ADDED, new=clean))
    assert not node_changes(clean, node("a", allocatable={"cpu": "1"}))


def test_a_claim_helps_the_pod_that_uses_it() -> None:
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    claim = {"metadata": {"name": "data", "namespace": "default"}}
    assert _wakes(pod(volumes=volumes), names.VOLUME_BINDING, Happening(CLAIMS, ADDED, new=claim))
    assert not _wakes(pod(), names.VOLUME_BINDING, Happening(CLAIMS, ADDED, new=claim))


def test_a_port_that_becomes_free_helps_who_wants_it() -> None:
    def with_port(port: int, **more: Any) -> PodInfo:
        return pod(containers=[{"name": "main", "image": "app:1", "ports": [{"hostPort": port}]}], **more)

    gone = Happening(PODS, DELETED, pod=with_port(80, nodeName="a"))
    assert _wakes(with_port(80), names.NODE_PORTS, gone)
    assert not _wakes(with_port(81), names.NODE_PORTS, gone)
