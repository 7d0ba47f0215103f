"""Standing for a lease: who gets it, when it is lost, and what a leader may still write then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

import pytest

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.permission import writing_while
from localplane.client import GroupVersionResource, ListOptions
from localplane.client.leader_election import ElectionTiming, LeaderElector, Leadership, candidate_name
from localplane.compose.server import Plane

pytestmark = pytest.mark.asyncio(loop_scope="module")

LEASES = GroupVersionResource("coordination.k8s.io", "v1", "leases")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
LONG = ElectionTiming(
    lease_duration=timedelta(hours=3), renew_deadline=timedelta(hours=2), retry_period=timedelta(milliseconds=20)
)


class Clock:
    """Goes on only when it is told to."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class Candidate:
    def __init__(self, plane: Plane, name: str, identity: str, timing: ElectionTiming = LONG) -> None:
        self.clock = Clock()
        self.elector = LeaderElector(plane.client, name, identity=identity, timing=timing, clock=self.clock)
        self.leads = asyncio.Event()
        self.stopped = asyncio.Event()
        self.leadership: Leadership | None = None

    async def lead(self, leadership: Leadership) -> None:
        self.leadership = leadership
        self.leads.set()
        self.stopped.clear()
        try:
            await asyncio.Event().wait()
        finally:
            self.leads.clear()
            self.stopped.set()


@asynccontextmanager
async def standing(candidate: Candidate) -> AsyncIterator[Candidate]:
    running = asyncio.create_task(candidate.elector.run(candidate.lead))
    try:
        yield candidate
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


async def lease(plane: Plane, name: str) -> JSONObject:
    spec: JSONObject = (await plane.client.resource(LEASES, "kube-system").get(name))["spec"]
    return spec


async def test_a_lease_says_who_leads_since_when(plane: Plane) -> None:
    async with standing(Candidate(plane, "first", "a")) as one:
        await one.leads.wait()
        said = await lease(plane, "first")
        assert (said["holderIdentity"], said["leaseDurationSeconds"], said["leaseTransitions"]) == ("a", 10800, 0)
        assert said["renewTime"] >= said["acquireTime"]
        await _renewed(plane, "first")
        assert (await lease(plane, "first"))["acquireTime"] == said["acquireTime"]


async def test_who_stops_gives_it_back_and_the_next_takes_it_without_waiting(plane: Plane) -> None:
    async with standing(Candidate(plane, "back", "a")) as one:
        await one.leads.wait()
        async with standing(Candidate(plane, "back", "b")) as two:
            async with standing(Candidate(plane, "other", "c")):  # a lease of another name is another election
                pass
            assert not two.leads.is_set()
            assert one.leads.is_set()
            await _renewed(plane, "back")
            assert not two.leads.is_set()
    async with standing(Candidate(plane, "back", "b")) as two:
        await asyncio.wait_for(two.leads.wait(), 60)
        said = await lease(plane, "back")
        assert said["holderIdentity"] == "b"
        assert said["leaseTransitions"] >= 1


async def _renewed(plane: Plane, name: str) -> None:
    """Until its holder has renewed a lease."""
    leases = plane.client.resource(LEASES, "kube-system")
    version = (await leases.get(name))["metadata"]["resourceVersion"]
    only = ListOptions(field_selector=f"metadata.name={name}", resource_version=version)
    async with leases.watch(only) as events:
        await anext(events)


async def test_a_waiting_candidate_hears_at_once_that_the_lease_is_free(plane: Plane) -> None:
    waiting = Candidate(plane, "wakes", "b")
    async with standing(Candidate(plane, "wakes", "a")) as one:
        await one.leads.wait()
        running = asyncio.create_task(waiting.elector.run(waiting.lead))
        await asyncio.sleep(0.05)
        assert not waiting.leads.is_set()
    try:
        await asyncio.wait_for(waiting.leads.wait(), 60)  # the lease would have lasted for hours
    finally:
        running.cancel()
        await asyncio.wait([running])


async def test_who_was_not_seen_renewing_for_as_long_as_the_lease_lasts_is_followed(plane: Plane) -> None:
    spec = {"holderIdentity": "dead", "leaseDurationSeconds": 3600, "leaseTransitions": 4, "renewTime": None}
    await plane.client.resource(LEASES, "kube-system").create(
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": "dead", "namespace": "kube-system"},
            "spec": spec,
        }
    )
    candidate = Candidate(plane, "dead", "b")
    assert await candidate.elector._take() is False
    candidate.clock.seconds += 3599
    assert await candidate.elector._take() is False
    candidate.clock.seconds += 1
    assert await candidate.elector._take() is True
    said = await lease(plane, "dead")
    assert (said["holderIdentity"], said["leaseTransitions"]) == ("b", 5)


async def test_a_leader_that_finds_another_in_its_place_stops(plane: Plane) -> None:
    async with standing(Candidate(plane, "usurped", "a")) as one:
        await one.leads.wait()
        leadership = one.leadership
        resource = plane.client.resource(LEASES, "kube-system")
        while True:
            found = await resource.get("usurped")
            with suppress(APIError):
                await resource.update(found | {"spec": found["spec"] | {"holderIdentity": "b"}})
                break
        await asyncio.wait_for(one.stopped.wait(), 60)
        assert leadership is not None
        assert not leadership.holds


async def test_a_leader_whose_machine_stood_still_writes_nothing_more(plane: Plane) -> None:
    """It was not told yet, and has begun the write before."""
    config_maps = plane.client.resource(CONFIG_MAPS, "default")
    clock = Clock()
    leadership = Leadership(clock.seconds + 10, clock)
    with writing_while(lambda: leadership.holds):
        made = await config_maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "led"}})
        clock.seconds += 10
        for write in (
            config_maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "late"}}),
            config_maps.update(made | {"data": {"a": "b"}}),
            config_maps.delete("led"),
        ):
            with pytest.raises(APIError, match="another server leads now"):
                async with asyncio.timeout(60):
                    await write
    there = {each["metadata"]["name"]: each.get("data") for each in (await config_maps.list())["items"]}
    assert there.get("led", "gone") is None
    assert "late" not in there
    await config_maps.delete("led")  # who was given no permission needs none


@pytest.mark.parametrize(
    ("lease_duration", "renew_deadline", "retry_period", "problem"),
    [
        (15, 10, 2, ""),
        (10, 10, 2, "leader election: leaseDuration must be greater than renewDeadline"),
        (15, 2, 2, "leader election: renewDeadline must be greater than retryPeriod*JitterFactor"),
        (15, 10, 0, "leader election: its durations must be longer than nothing"),
        (0.9, 0.5, 0.1, "leader election: a lease lasts for a second at least"),
    ],
)
async def test_durations_that_contradict_are_refused(
    lease_duration: float, renew_deadline: float, retry_period: float, problem: str
) -> None:
    timing = ElectionTiming(
        lease_duration=timedelta(seconds=lease_duration),
        renew_deadline=timedelta(seconds=renew_deadline),
        retry_period=timedelta(seconds=retry_period),
    )
    assert list(timing.problems()) == ([problem] if problem else [])


async def test_no_two_candidates_have_the_same_name() -> None:
    assert candidate_name() != candidate_name()
