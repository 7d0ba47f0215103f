"""Stored bytes that are no object: never shown, never lost, and deleted only by those who mean it."""

from __future__ import annotations

import pytest

from localplane.apiserver.storage.errors import CorruptObject, KeyNotFound, PreconditionFailed
from localplane.apiserver.storage.interface import EventType, ListOptions, UpdateOptions, WatchOptions
from localplane.apiserver.storage.objects import encode
from tests.contract.pods import create, key_of, list_names, pod, replaced_by, unchanged
from tests.contract.subjects import Subject
from tests.contract.watching import expect, expect_added, next_change

KEY = key_of(pod("foo"))

UNREADABLE = (b"\x00\xff", b"", b"[]", b'"text"', b'{"metadata":["name"]}', b'{"kind":"Pod"')


@pytest.mark.upstream("RunTestTransformationFailure")
async def test_an_unreadable_object_fails_every_verb_and_stays(subject: Subject) -> None:
    healthy = await create(subject.storage, pod("bar", "first"))
    suggestion = await create(subject.storage, pod("foo"))
    await subject.corrupt(KEY)
    planted = (await subject.backend.get(subject.absolute(KEY))).kv

    with pytest.raises(CorruptObject):
        await subject.storage.list("/pods/", ListOptions())
    with pytest.raises(CorruptObject):
        await subject.storage.get(KEY)
    with pytest.raises(CorruptObject):
        await subject.storage.guaranteed_update(KEY, unchanged)
    with pytest.raises(CorruptObject):
        await subject.storage.guaranteed_update(KEY, unchanged, suggestion=suggestion)
    with pytest.raises(CorruptObject):
        await subject.storage.guaranteed_update(KEY, replaced_by(pod("foo")), UpdateOptions(ignore_not_found=True))
    with pytest.raises(CorruptObject):
        await subject.storage.delete(KEY)
    with pytest.raises(CorruptObject):
        await subject.storage.delete(KEY, suggestion=suggestion)

    assert (await subject.backend.get(subject.absolute(KEY))).kv == planted
    assert (await subject.storage.get(key_of(pod("bar", "first")))).data == healthy.data
    assert await list_names(subject.storage, "/pods/first") == ["bar"]


@pytest.mark.upstream("RunTestTransformationFailure")
@pytest.mark.parametrize("value", UNREADABLE)
async def test_bytes_are_unreadable_unless_they_are_an_object_with_metadata(subject: Subject, value: bytes) -> None:
    await subject.plant(KEY, value)

    with pytest.raises(CorruptObject):
        await subject.storage.get(KEY)


@pytest.mark.upstream("RunTestGetListWithoutErrorAggregation")
async def test_a_list_names_the_first_unreadable_object(subject: Subject) -> None:
    for number in range(1, 8):
        await create(subject.storage, pod(f"foo-{number:06}", "ns"))
    assert len(await list_names(subject.storage, "/pods/ns")) == 7
    for number in (2, 4, 6):
        await subject.corrupt(f"/pods/ns/foo-{number:06}")

    with pytest.raises(CorruptObject) as failure:
        await subject.storage.list("/pods/ns", ListOptions())

    assert failure.value.key == subject.absolute("/pods/ns/foo-000002")


@pytest.mark.upstream("RunTestGetListWithoutErrorAggregation")
async def test_a_list_that_ends_before_the_unreadable_object_is_answered(subject: Subject) -> None:
    first = await create(subject.storage, pod("foo-1", "ns"))
    await create(subject.storage, pod("foo-2", "ns"))
    await subject.corrupt("/pods/ns/foo-2")

    answer = await subject.storage.list("/pods/ns", ListOptions(limit=1))

    assert [item.data for item in answer.items] == [first.data]
    assert (answer.remaining, bool(answer.continue_token)) == (1, True)


@pytest.mark.upstream("RunTestDeleteExpectedTransformOrDecodeError")
@pytest.mark.parametrize("value", UNREADABLE)
async def test_an_unreadable_object_is_deleted_by_those_who_mean_it(subject: Subject, value: bytes) -> None:
    await create(subject.storage, pod("foo"))
    planted = await subject.plant(KEY, value)

    deleted = await subject.storage.delete(KEY, even_if_corrupt=True)

    assert deleted.revision > planted
    with pytest.raises(KeyNotFound):
        await subject.storage.get(KEY)
    assert await list_names(subject.storage) == []


@pytest.mark.upstream("RunTestDeleteExpectedTransformOrDecodeError")
async def test_there_must_be_an_object_to_delete(subject: Subject) -> None:
    with pytest.raises(KeyNotFound):
        await subject.storage.delete(KEY, even_if_corrupt=True)


@pytest.mark.upstream("RunTestDeleteWithSuggestionAndMissingExpectedTransformOrDecodeError")
@pytest.mark.parametrize("suggested", [True, False])
async def test_a_readable_object_is_not_deleted_as_an_unreadable_one(subject: Subject, *, suggested: bool) -> None:
    created = await create(subject.storage, pod("foo"))

    with pytest.raises(PreconditionFailed):
        await subject.storage.delete(KEY, suggestion=created if suggested else None, even_if_corrupt=True)

    assert (await subject.storage.get(KEY)).data == created.data


@pytest.mark.upstream("RunTestDeleteWithConflictAndMissingExpectedTransformOrDecodeError")
async def test_an_object_that_is_repaired_at_the_last_moment_is_not_deleted(subject: Subject) -> None:
    await create(subject.storage, pod("foo"))
    await subject.corrupt(KEY)
    repairs: list[int] = []

    async def repair_once() -> None:
        if not repairs:
            repairs.append(await subject.plant(KEY, encode(pod("foo", labels={"repaired": "true"}))))

    subject.backend.before_delete = repair_once

    with pytest.raises(PreconditionFailed):
        await subject.storage.delete(KEY, even_if_corrupt=True)

    assert len(repairs) == 1
    assert (await subject.storage.get(KEY)).revision == repairs[0]


async def test_whoever_asks_for_readable_objects_gets_all_of_them(subject: Subject) -> None:
    for number in range(1, 8):
        await create(subject.storage, pod(f"foo-{number}", "ns"))
    for number in (1, 4, 7):
        await subject.corrupt(f"/pods/ns/foo-{number}")

    whole = await subject.storage.list("/pods/ns", ListOptions(only_readable=True))
    pages, token = [], ""
    while True:
        page = await subject.storage.list("/pods/ns", ListOptions(only_readable=True, limit=2, continue_token=token))
        pages += page.items
        token = page.continue_token
        if not token:
            break

    expected = [f"foo-{number}" for number in (2, 3, 5, 6)]
    assert [item.key.rpartition("/")[2] for item in whole.items] == expected
    assert [item.key.rpartition("/")[2] for item in pages] == expected
    with pytest.raises(CorruptObject):
        await subject.storage.list("/pods/ns", ListOptions())


async def test_to_whoever_watches_readable_objects_an_unreadable_one_is_not_there(subject: Subject) -> None:
    first = await create(subject.storage, pod("first"))
    await create(subject.storage, pod("foo"))
    await subject.corrupt(KEY)
    watch = await subject.storage.watch("/pods/", WatchOptions(only_readable=True))
    await expect_added(watch, first)

    await subject.plant(KEY, b"still nothing")
    repaired_at = await subject.plant(KEY, encode(pod("foo")))
    repaired = await next_change(watch)
    assert (repaired.type, repaired.revision) == (EventType.ADDED, repaired_at)
    broken_at = await subject.corrupt(KEY)
    gone = await next_change(watch)
    assert (gone.type, gone.revision) == (EventType.DELETED, broken_at)
    await subject.storage.delete(KEY, even_if_corrupt=True)
    last = await create(subject.storage, pod("last"))
    await expect(watch, EventType.ADDED, last)
    await watch.stop()


async def test_a_watch_of_readable_objects_that_resumes_is_told_the_same(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    broken_at = await subject.corrupt(KEY)
    last = await create(subject.storage, pod("last"))

    options = WatchOptions(resource_version=str(created.revision), only_readable=True)
    watch = await subject.storage.watch("/pods/", options)

    gone = await next_change(watch)
    assert (gone.type, gone.revision) == (EventType.DELETED, broken_at)
    await expect(watch, EventType.ADDED, last)
    await watch.stop()
