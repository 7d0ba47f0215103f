"""Graceful deletion: an object that somebody runs is marked first, and its time only ever becomes shorter."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from localplane.apimachinery.times import parse_time
from tests.integration.api.talk import API, named
from tests.integration.api.toys import PODS, pod


async def test_an_object_on_a_node_gets_its_time(api: API) -> None:
    await api.post(PODS, pod("a", node="n"))
    began = datetime.now(UTC)
    deleted = await api.delete(f"{PODS}/a")
    metadata = deleted.body["metadata"]
    assert (deleted.status, deleted.body["kind"]) == (200, "Pod")
    assert metadata["deletionGracePeriodSeconds"] == 30
    until = parse_time(metadata["deletionTimestamp"])
    assert began + timedelta(seconds=28) < until < began + timedelta(seconds=33)
    assert metadata["generation"] == 2
    assert (await api.get(f"{PODS}/a")).data == deleted.data


async def test_its_time_is_what_it_says_or_what_the_client_says(api: API) -> None:
    await api.post(PODS, pod("a", node="n", spec={"terminationGracePeriodSeconds": 7}))
    assert (await api.delete(f"{PODS}/a")).body["metadata"]["deletionGracePeriodSeconds"] == 7
    await api.post(PODS, pod("b", node="n"))
    deleted = await api.delete(f"{PODS}/b", {"gracePeriodSeconds": 9})
    assert deleted.body["metadata"]["deletionGracePeriodSeconds"] == 9


async def test_one_without_a_node_goes_at_once(api: API) -> None:
    await api.post(PODS, pod("a"))
    deleted = await api.delete(f"{PODS}/a")
    assert deleted.body["metadata"]["deletionGracePeriodSeconds"] == 0
    assert (await api.get(f"{PODS}/a")).status == 404


async def test_going_at_once_is_a_mark_and_an_end(api: API) -> None:
    await api.post(PODS, pod("a"))
    watch = await api.watch(f"{PODS}?watch=1&resourceVersion={api.revision}")
    await api.delete(f"{PODS}/a")
    assert [named(event) for event in await watch.take(2)] == [("MODIFIED", "a"), ("DELETED", "a")]
    await watch.close()


async def test_the_time_becomes_shorter_and_never_longer(api: API) -> None:
    await api.post(PODS, pod("a", node="n"))
    first = (await api.delete(f"{PODS}/a")).body["metadata"]
    before = api.revision
    assert (await api.delete(f"{PODS}/a?gracePeriodSeconds=60")).body["metadata"] == first
    assert (await api.delete(f"{PODS}/a")).body["metadata"] == first
    assert api.revision == before
    shorter = (await api.delete(f"{PODS}/a?gracePeriodSeconds=5")).body["metadata"]
    assert shorter["deletionGracePeriodSeconds"] == 5
    earlier = parse_time(first["deletionTimestamp"]) - parse_time(shorter["deletionTimestamp"])
    assert earlier == timedelta(seconds=25)
    assert shorter["generation"] == first["generation"]


async def test_no_time_at_all_removes_it(api: API) -> None:
    await api.post(PODS, pod("a", node="n"))
    await api.delete(f"{PODS}/a")
    gone = await api.delete(f"{PODS}/a?gracePeriodSeconds=0")
    assert (gone.status, gone.body["metadata"]["deletionGracePeriodSeconds"]) == (200, 0)
    assert (await api.get(f"{PODS}/a")).status == 404


async def test_less_than_no_time_is_one_second(api: API) -> None:
    await api.post(PODS, pod("a", node="n"))
    deleted = await api.delete(f"{PODS}/a?gracePeriodSeconds=-5")
    assert deleted.body["metadata"]["deletionGracePeriodSeconds"] == 1


async def test_more_time_than_a_calendar_has_is_no_fault(api: API) -> None:
    await api.post(PODS, pod("a", node="n"))
    deleted = await api.delete(f"{PODS}/a?gracePeriodSeconds={2**63 - 1}")
    assert (deleted.status, deleted.body["metadata"]["deletionGracePeriodSeconds"]) == (200, 2**63 - 1)
    assert (await api.delete(f"{PODS}/a?gracePeriodSeconds=0")).status == 200


async def test_a_finalizer_outlasts_the_time(api: API) -> None:
    await api.post(PODS, pod("a", node="n", metadata={"finalizers": ["example.com/f"]}))
    await api.delete(f"{PODS}/a?gracePeriodSeconds=0")
    assert (await api.get(f"{PODS}/a")).body["metadata"]["finalizers"] == ["example.com/f"]
    await api.merge(f"{PODS}/a", {"metadata": {"finalizers": None}})
    assert (await api.get(f"{PODS}/a")).status == 404


async def test_a_finalizer_that_goes_first_leaves_the_object_its_time(api: API) -> None:
    await api.post(PODS, pod("a", node="n", metadata={"finalizers": ["example.com/f"]}))
    await api.delete(f"{PODS}/a")
    await api.merge(f"{PODS}/a", {"metadata": {"finalizers": None}})
    assert (await api.get(f"{PODS}/a")).status == 200


async def test_a_dry_run_gives_the_time_and_takes_nothing(api: API) -> None:
    created = await api.post(PODS, pod("a", node="n"))
    before = api.revision
    tried = await api.delete(f"{PODS}/a?dryRun=All")
    assert tried.body["metadata"]["deletionGracePeriodSeconds"] == 30
    assert api.revision == before
    assert (await api.get(f"{PODS}/a")).data == created.data


async def test_many_who_delete_the_same_object_all_succeed_or_find_it_gone(api: API) -> None:
    await api.post(PODS, pod("a"))
    replies = await asyncio.gather(*(api.delete(f"{PODS}/a") for _ in range(20)))
    assert {reply.status for reply in replies} <= {200, 404}
    assert (await api.get(f"{PODS}/a")).status == 404
