"""Lists: which objects, at which revision, on how many pages, and whether the store had to be asked."""

from __future__ import annotations

import pytest

from localplane.apiserver.storage.errors import ResourceVersionTooOld
from localplane.apiserver.storage.interface import ListOptions, Match
from tests.contract.list_questions import (
    ANY_TIME,
    AT_LEAST,
    CONTINUED,
    EXACTLY,
    PRESENT,
    REFUSED,
    Answered,
    Loose,
    Refused,
    identified,
)
from tests.contract.seed import bytes_in, sow
from tests.contract.subjects import Subject


async def check(subject: Subject, question: Answered) -> None:
    seed = await sow(subject)

    answer = await subject.storage.list(question.prefix, question.options(seed))

    assert bytes_in(answer) == seed.bytes_of(question.finds)
    assert bool(answer.continue_token) == (question.more or bool(question.next_page))
    assert answer.remaining == question.remaining
    if question.revision:
        assert answer.revision == seed.moments[question.revision]
    if question.next_page:
        expected = seed.token(question.next_page, question.revision, prefix=question.prefix)
        assert answer.continue_token == expected
    if question.at in seed.moments:
        assert answer.revision >= seed.moments[question.at]
    if subject.cached:
        assert subject.backend.ranges == [], "a cache answers lists of the present and of the recent past"


@pytest.mark.upstream("RunTestList")
@pytest.mark.parametrize("question", PRESENT, ids=identified)
async def test_a_list_shows_the_present(subject: Subject, question: Answered) -> None:
    await check(subject, question)


@pytest.mark.upstream("RunTestList")
@pytest.mark.parametrize("question", AT_LEAST, ids=identified)
async def test_a_list_is_at_least_as_new_as_asked(subject: Subject, question: Answered) -> None:
    await check(subject, question)


@pytest.mark.upstream("RunTestList")
@pytest.mark.parametrize("question", EXACTLY, ids=identified)
async def test_a_list_shows_exactly_the_revision_asked_for(subject: Subject, question: Answered) -> None:
    await check(subject, question)


@pytest.mark.upstream("RunTestList")
@pytest.mark.parametrize("question", CONTINUED, ids=identified)
async def test_a_continued_list_stays_at_its_revision(subject: Subject, question: Answered) -> None:
    await check(subject, question)


@pytest.mark.upstream("RunTestList")
@pytest.mark.parametrize("question", ANY_TIME, ids=identified)
async def test_a_list_without_demands_may_be_from_any_time(subject: Subject, question: Loose) -> None:
    seed = await sow(subject)

    answer = await subject.storage.list(question.prefix, question.options(seed))

    assert bytes_in(answer) in [seed.bytes_of(finds) for finds in question.finds]
    assert (answer.continue_token, answer.remaining) == ("", None)
    assert answer.revision >= seed.moments["before"]
    if subject.cached:
        assert subject.backend.ranges == []


@pytest.mark.upstream("RunTestList")
@pytest.mark.parametrize("match", [Match.UNSET, Match.NOT_OLDER_THAN])
async def test_a_limit_on_a_list_from_any_time_is_the_stores_but_not_the_caches(subject: Subject, match: Match) -> None:
    """As upstream: a cache that is asked for any version has all of it at hand, and gives it."""
    seed = await sow(subject)
    await subject.storage.list("/pods/", ListOptions())

    answer = await subject.storage.list("/pods/second/", ListOptions(resource_version="0", match=match, limit=1))

    finds, remaining = ("second/bar second/foo", None) if subject.cached else ("second/bar", 1)
    assert bytes_in(answer) == seed.bytes_of(finds)
    assert (bool(answer.continue_token), answer.remaining) == (not subject.cached, remaining)


@pytest.mark.upstream("RunTestList")
@pytest.mark.parametrize("question", REFUSED, ids=identified)
async def test_a_list_is_refused(subject: Subject, question: Refused) -> None:
    seed = await sow(subject)

    with pytest.raises(question.error, match=question.message) as refusal:
        await subject.storage.list(question.prefix, question.options(seed))

    if isinstance(refusal.value, ResourceVersionTooOld):
        assert bool(refusal.value.continue_token) == question.token
