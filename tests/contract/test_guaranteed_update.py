"""The guaranteed update: read, change, write, and again if somebody else came first."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import orjson
import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import KeyNotFound, PreconditionFailed
from localplane.apiserver.storage.interface import EventType, Preconditions, UpdateOptions, WatchOptions
from localplane.apiserver.storage.objects import decode
from tests.contract.pods import create, key_of, pod, replaced_by, unchanged, with_metadata
from tests.contract.subjects import Subject
from tests.contract.watching import next_change

KEY = key_of(pod("foo"))


class Rejected(Exception):
    """What an update in these tests raises."""


async def stored_fields(subject: Subject) -> JSONObject:
    found = await subject.backend.get(subject.absolute(KEY))
    assert found.kv is not None
    return decode(KEY, found.kv.value)


@pytest.mark.upstream("RunTestGuaranteedUpdate")
async def test_an_absent_object_can_not_be_updated(subject: Subject) -> None:
    with pytest.raises(KeyNotFound):
        await subject.storage.guaranteed_update(KEY, replaced_by(pod("foo")))


@pytest.mark.upstream("RunTestGuaranteedUpdate")
async def test_an_absent_object_is_created_from_nothing_when_that_is_wanted(subject: Subject) -> None:
    seen: list[JSONObject] = []

    async def make(current: JSONObject) -> JSONObject:
        seen.append(current)
        return pod("foo")

    made = await subject.storage.guaranteed_update(KEY, make, UpdateOptions(ignore_not_found=True))

    assert seen == [{}]
    assert (await subject.storage.get(KEY)).data == made.data
    assert await stored_fields(subject) == pod("foo")


@pytest.mark.upstream("RunTestGuaranteedUpdate")
async def test_an_update_is_stored_under_a_new_resource_version(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo", uid="A"))

    updated = await subject.storage.guaranteed_update(KEY, with_metadata(annotations={"version": "1"}))

    assert updated.revision > created.revision
    assert updated.decode()["metadata"]["annotations"] == {"version": "1"}
    assert (await subject.storage.get(KEY)).data == updated.data
    assert await stored_fields(subject) == pod("foo", uid="A", annotations={"version": "1"})


@pytest.mark.upstream("RunTestGuaranteedUpdate")
async def test_an_update_that_changes_nothing_writes_nothing(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo", labels={"a": "1", "b": "2"}))
    revision = await subject.storage.current_revision()

    same = await subject.storage.guaranteed_update(KEY, replaced_by(pod("foo", labels={"b": "2", "a": "1"})))

    assert same.data == created.data
    assert await subject.storage.current_revision() == revision


@pytest.mark.upstream("RunTestGuaranteedUpdate")
async def test_a_self_link_is_dropped_and_no_change(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))

    same = await subject.storage.guaranteed_update(KEY, with_metadata(selfLink="/api/v1/pods/foo"))

    assert same.data == created.data
    assert "selfLink" not in same.decode()["metadata"]


@pytest.mark.upstream("RunTestGuaranteedUpdate")
async def test_bytes_that_are_not_canonical_are_written_anew(subject: Subject) -> None:
    planted = await subject.plant(KEY, orjson.dumps({"metadata": {"name": "foo", "selfLink": "/x"}, "kind": "Pod"}))

    rewritten = await subject.storage.guaranteed_update(KEY, unchanged)

    assert rewritten.revision > planted
    assert "selfLink" not in (await stored_fields(subject))["metadata"]


@pytest.mark.upstream("RunTestGuaranteedUpdate")
async def test_a_uid_precondition_that_holds_lets_the_update_through(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo", uid="A"))

    same = await subject.storage.guaranteed_update(KEY, unchanged, UpdateOptions(preconditions=Preconditions(uid="A")))

    assert same.data == created.data


@pytest.mark.upstream("RunTestGuaranteedUpdate")
@pytest.mark.parametrize("preconditions", [Preconditions(uid="B"), Preconditions(resource_version="1")])
async def test_a_precondition_that_does_not_hold_fails(subject: Subject, preconditions: Preconditions) -> None:
    created = await create(subject.storage, pod("foo", uid="A"))

    with pytest.raises(PreconditionFailed):
        await subject.storage.guaranteed_update(
            KEY, with_metadata(labels={"a": "b"}), UpdateOptions(preconditions=preconditions)
        )

    assert (await subject.storage.get(KEY)).data == created.data


@pytest.mark.upstream("RunTestGuaranteedUpdateWithTTL")
async def test_an_update_with_a_ttl_lets_the_object_expire(subject: Subject) -> None:
    written = await subject.storage.guaranteed_update(
        KEY, replaced_by(pod("foo")), UpdateOptions(ignore_not_found=True, ttl=timedelta(seconds=1))
    )
    options = WatchOptions(resource_version=str(written.revision), recursive=False)
    watch = await subject.storage.watch(KEY, options)

    event = await next_change(watch)

    assert event.type is EventType.DELETED
    assert event.revision > written.revision
    await watch.stop()


@pytest.mark.upstream("RunTestGuaranteedUpdateWithTTL")
async def test_an_update_without_a_ttl_ends_an_earlier_one(subject: Subject) -> None:
    ttl = timedelta(seconds=1)
    await subject.storage.create(KEY, pod("foo"), ttl=ttl)
    kept = await subject.storage.guaranteed_update(KEY, with_metadata(labels={"kept": "yes"}))
    other = await subject.storage.create(key_of(pod("other")), pod("other"), ttl=ttl)
    watch = await subject.storage.watch("/pods/", WatchOptions(resource_version=str(other.revision)))

    # The other one was given as long, and later: when it is gone, the first would have been too.
    event = await next_change(watch)

    assert event.object is not None
    assert event.object.decode()["metadata"]["name"] == "other"
    assert (await subject.storage.get(KEY)).data == kept.data
    await watch.stop()


@pytest.mark.upstream("RunTestGuaranteedUpdateChecksStoredData")
async def test_what_counts_as_unchanged_are_the_stored_bytes(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    found = await subject.backend.get(subject.absolute(KEY))
    assert found.kv is not None
    planted = await subject.plant(KEY, b" " + found.kv.value)

    rewritten = await subject.storage.guaranteed_update(KEY, replaced_by(pod("foo")), suggestion=created)
    assert rewritten.revision > planted, "a leading blank is a difference"

    same = await subject.storage.guaranteed_update(KEY, replaced_by(pod("foo")), suggestion=rewritten)
    assert same.revision == rewritten.revision
    assert (await subject.backend.get(subject.absolute(KEY))).kv == type(found.kv)(
        found.kv.key, found.kv.value, rewritten.revision
    )


@pytest.mark.upstream("RunTestGuaranteedUpdateWithConflict")
async def test_the_later_of_two_updates_is_asked_again_with_what_the_first_wrote(subject: Subject) -> None:
    await create(subject.storage, pod("foo"))
    second_entered, first_finished = asyncio.Event(), asyncio.Event()
    seen: list[str] = []

    async def first_update(current: JSONObject) -> JSONObject:
        await second_entered.wait()
        return {**current, "status": {"phase": "first"}}

    async def second_update(current: JSONObject) -> JSONObject:
        seen.append(current.get("status", {}).get("phase", ""))
        second_entered.set()
        await first_finished.wait()
        return {**current, "status": {"phase": "second"}}

    async def first() -> None:
        await subject.storage.guaranteed_update(KEY, first_update)
        first_finished.set()

    async with asyncio.timeout(30):
        _, written = await asyncio.gather(first(), subject.storage.guaranteed_update(KEY, second_update))

    assert seen == ["", "first"]
    assert written.decode()["status"] == {"phase": "second"}


@pytest.mark.upstream("RunTestGuaranteedUpdateWithConflict")
async def test_no_increment_of_many_at_once_is_lost(subject: Subject) -> None:
    await create(subject.storage, pod("foo"))

    async def increment(current: JSONObject) -> JSONObject:
        return {**current, "count": current.get("count", 0) + 1}

    await asyncio.gather(*(subject.storage.guaranteed_update(KEY, increment) for _ in range(20)))

    assert (await subject.storage.get(KEY)).decode()["count"] == 20


@pytest.mark.upstream("RunTestGuaranteedUpdateWithSuggestionAndConflict")
async def test_an_error_about_a_stale_suggestion_gets_a_second_try(subject: Subject) -> None:
    stale = await create(subject.storage, pod("foo"))
    await subject.storage.guaranteed_update(KEY, with_metadata(generation=2))
    conflicts = 0

    async def only_second_generation(current: JSONObject) -> JSONObject:
        nonlocal conflicts
        if current["metadata"].get("generation") != 2:
            conflicts += 1
            raise Rejected
        return {**current, "metadata": {**current["metadata"], "generation": 3}}

    updated = await subject.storage.guaranteed_update(KEY, only_second_generation, suggestion=stale)

    assert conflicts <= 1
    assert updated.decode()["metadata"]["generation"] == 3


@pytest.mark.upstream("RunTestGuaranteedUpdateWithSuggestionAndConflict")
async def test_an_error_about_a_current_suggestion_is_final(subject: Subject) -> None:
    current = await create(subject.storage, pod("foo"))
    attempts = 0

    async def reject(_: JSONObject) -> JSONObject:
        nonlocal attempts
        attempts += 1
        raise Rejected

    with pytest.raises(Rejected):
        await subject.storage.guaranteed_update(KEY, reject, suggestion=current)

    assert attempts == 1


@pytest.mark.upstream("RunTestGuaranteedUpdateWithSuggestionAndConflict")
async def test_a_stale_suggestion_that_was_deleted_is_not_found(subject: Subject) -> None:
    stale = await create(subject.storage, pod("foo"))
    await subject.storage.delete(KEY)

    with pytest.raises(KeyNotFound):
        await subject.storage.guaranteed_update(KEY, with_metadata(labels={"a": "b"}), suggestion=stale)
