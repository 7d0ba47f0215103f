"""Lists on several pages: one state throughout, and no more questions to the store than needed."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apiserver.storage.errors import ResourceVersionTooOld
from localplane.apiserver.storage.interface import ListOptions, ObjectList
from localplane.apiserver.storage.objects import StoredObject
from tests.contract.pods import (
    create,
    exactly,
    key_of,
    labelled,
    name_of,
    not_older_than,
    pod,
    selecting,
    with_metadata,
)
from tests.contract.seed import bytes_in
from tests.contract.subjects import Subject


async def page(
    subject: Subject, token: str = "", *, limit: int = 0, select: str = "", asks_the_store: int = 1
) -> ObjectList:
    """One page, and the number of ranges that it took: a cache asks for none."""
    subject.backend.ranges.clear()
    options = ListOptions(limit=limit, continue_token=token, predicate=selecting(select))
    answer = await subject.storage.list("/pods/", options)
    assert len(subject.backend.ranges) == (0 if subject.cached else asks_the_store)
    return answer


async def three_pods(subject: Subject) -> list[StoredObject]:
    return [
        await create(subject.storage, pod(name, namespace))
        for namespace, name in (("first", "bar"), ("second", "bar"), ("second", "foo"))
    ]


@pytest.mark.upstream("RunTestListContinuation")
async def test_a_token_can_be_used_with_any_limit(subject: Subject) -> None:
    stored = [obj.data for obj in await three_pods(subject)]
    revision = await subject.storage.current_revision()

    first = await page(subject, limit=1)
    rest = await page(subject, first.continue_token)
    second = await page(subject, first.continue_token, limit=1)
    third = await page(subject, second.continue_token, limit=1)

    assert [bytes_in(answer) for answer in (first, rest)] == [stored[:1], stored[1:]]
    assert [bytes_in(answer) for answer in (second, third)] == [stored[1:2], stored[2:]]
    assert {answer.revision for answer in (first, rest, second, third)} == {revision}
    assert [answer.remaining for answer in (first, second, third)] == [2, 1, None]
    assert (rest.continue_token, third.continue_token) == ("", "")


@pytest.mark.upstream("RunTestListContinuationWithFilter")
async def test_a_page_is_filled_from_as_many_objects_as_it_takes(subject: Subject) -> None:
    stored = [
        await create(subject.storage, pod(name, namespace))
        for namespace, name in (("1", "foo"), ("2", "bar"), ("3", "foo"), ("4", "foo"))
    ]

    first = await page(subject, limit=2, select="metadata.name!=bar", asks_the_store=2)
    second = await page(subject, first.continue_token, limit=2, select="metadata.name!=bar")

    assert bytes_in(first) == [stored[0].data, stored[2].data]
    assert bytes_in(second) == [stored[3].data]
    assert first.revision == second.revision == stored[3].revision
    assert (first.remaining, second.continue_token) == (None, "")


@pytest.mark.upstream("RunTestListPaginationRareObject")
async def test_one_match_in_a_thousand_is_found_in_few_questions(subject: Subject) -> None:
    stored = await asyncio.gather(*(create(subject.storage, pod(f"pod-{number}", "")) for number in range(1000)))

    # The pages double: 1 + 2 + 4 + … + 512 objects are more than a thousand.
    answer = await page(subject, limit=1, select="metadata.name=pod-999", asks_the_store=10)

    assert bytes_in(answer) == [stored[999].data]
    assert answer.continue_token == ""


@pytest.mark.upstream("RunTestListPaging")
async def test_an_object_created_between_two_pages_is_not_shown(subject: Subject) -> None:
    for number in range(4):
        await create(subject.storage, pod(f"test-{number}", "paging"))

    names: list[str] = []
    revisions = set()
    answer = await page(subject, limit=1)
    for _ in range(3):
        names += [name_of(item) for item in answer.items]
        revisions.add(answer.revision)
        if len(names) == 2:
            await create(subject.storage, pod("test-5", "paging"))
            await subject.storage.delete(key_of(pod("test-3", "paging")))
        answer = await page(subject, answer.continue_token, limit=1)

    assert [*names, *map(name_of, answer.items)] == ["test-0", "test-1", "test-2", "test-3"]
    assert answer.continue_token == ""
    assert revisions == {answer.revision}


@pytest.mark.upstream("RunTestListInconsistentContinuation")
async def test_a_token_whose_revision_was_compacted_comes_with_one_that_goes_on(subject: Subject) -> None:
    first, second, _ = await three_pods(subject)
    start = await subject.storage.list("/pods/", ListOptions(limit=1))
    assert bytes_in(start) == [first.data]
    changed = await subject.storage.guaranteed_update(
        key_of(pod("foo", "second")), with_metadata(labels={"state": "new"})
    )
    await subject.backend.compact(changed.revision)

    with pytest.raises(ResourceVersionTooOld, match="continue parameter is too old") as refusal:
        await subject.storage.list("/pods/", ListOptions(continue_token=start.continue_token))

    token = refusal.value.continue_token
    going_on = await subject.storage.list("/pods/", ListOptions(limit=1, continue_token=token))
    assert bytes_in(going_on) == [second.data]
    assert going_on.revision >= changed.revision
    last = await subject.storage.list("/pods/", ListOptions(limit=1, continue_token=going_on.continue_token))
    assert bytes_in(last) == [changed.data]
    assert (last.continue_token, last.revision) == ("", going_on.revision)


@pytest.mark.upstream("RunTestListResourceVersionMatch")
async def test_a_list_can_be_repeated_exactly_at_the_revision_it_returned(subject: Subject) -> None:
    numbers = iter(range(1_000))

    async def another() -> None:
        number = next(numbers)
        obj = pod(f"pod-{number:03}", labels={"even": str(number % 2 == 0)})
        await subject.resource("/pods/").create(key_of(obj), obj)

    for _ in range(9):
        await another()
    # While a list is under way, every page that it reads makes the store move on.
    subject.backend.after_range = another
    even = labelled("even", "True")

    consistent = await subject.storage.list("/pods/", ListOptions(limit=4, predicate=even))
    again = await subject.storage.list("/pods/", exactly(consistent.revision, limit=4, predicate=even))
    later = await subject.storage.list("/pods/", not_older_than(consistent.revision, limit=4, predicate=even))
    later_again = await subject.storage.list("/pods/", exactly(later.revision, limit=4, predicate=even))

    assert len(consistent.items) == 4
    assert (bytes_in(again), again.continue_token) == (bytes_in(consistent), consistent.continue_token)
    assert (bytes_in(later_again), later_again.continue_token) == (bytes_in(later), later.continue_token)
    assert later.revision >= consistent.revision == again.revision
