"""Waiting for a revision, and asking one question for many."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.storage.cacher.freshness import Freshness, SharedQuestion
from localplane.apiserver.storage.errors import ResourceVersionTooLarge, Unavailable
from tests.unit.storage.virtual_time import now, settle, virtual_time


class Clerk:
    """Counts how often progress was asked for, and can answer."""

    def __init__(self) -> None:
        self.asked_at: list[float] = []
        self.freshness = Freshness(timedelta(seconds=3), self.request_progress)
        self.answer: int | None = None

    async def request_progress(self) -> None:
        self.asked_at.append(now())
        if self.answer is not None:
            self.freshness.advance(self.answer)


@virtual_time
async def test_a_revision_that_has_been_reached_is_not_waited_for() -> None:
    clerk = Clerk()
    clerk.freshness.advance(5)
    await clerk.freshness.reach(5)
    await clerk.freshness.reach(1)
    assert now() == 0.0
    assert not clerk.asked_at


@virtual_time
async def test_readers_go_on_when_their_revision_comes_and_not_before() -> None:
    freshness = Clerk().freshness
    readers = {revision: asyncio.create_task(freshness.reach(revision)) for revision in (7, 5, 6, 5)}
    await settle()
    freshness.advance(4)
    await settle()
    assert not any(reader.done() for reader in readers.values())
    freshness.advance(6)
    await settle()
    assert [revision for revision, reader in readers.items() if reader.done()] == [5, 6]
    freshness.advance(7)
    await asyncio.gather(*readers.values())


@virtual_time
async def test_progress_is_asked_for_when_the_revision_does_not_come_by_itself() -> None:
    clerk = Clerk()
    clerk.answer = 5
    await clerk.freshness.reach(5)
    assert clerk.asked_at == [pytest.approx(0.005)]


@virtual_time
async def test_progress_is_not_asked_for_when_the_revision_comes_at_once() -> None:
    clerk = Clerk()
    asyncio.get_running_loop().call_later(0.004, clerk.freshness.advance, 5)
    await clerk.freshness.reach(5)
    assert not clerk.asked_at


@virtual_time
async def test_progress_is_asked_for_again_and_again_until_time_is_up() -> None:
    clerk = Clerk()
    clerk.freshness.advance(4)
    with pytest.raises(ResourceVersionTooLarge) as raised:
        await clerk.freshness.reach(5)
    assert now() == pytest.approx(3.0)
    assert (raised.value.requested, raised.value.current) == (5, 4)
    gaps = [later - earlier for earlier, later in zip(clerk.asked_at, clerk.asked_at[1:], strict=False)]
    assert len(gaps) >= 25
    assert gaps == [pytest.approx(0.1)] * len(gaps)


@virtual_time
async def test_many_waiting_readers_share_one_question_about_progress() -> None:
    clerk = Clerk()
    readers = [asyncio.create_task(clerk.freshness.reach(5)) for _ in range(100)]
    await asyncio.sleep(0.05)
    asked = len(clerk.asked_at)
    clerk.freshness.advance(5)
    await asyncio.gather(*readers)
    assert asked <= 2


@virtual_time
async def test_a_reader_who_comes_later_does_not_wait_for_the_next_round_of_those_before() -> None:
    clerk = Clerk()
    far_off = asyncio.create_task(clerk.freshness.reach(9))
    await asyncio.sleep(0.02)
    assert len(clerk.asked_at) == 1
    clerk.answer = 5
    await clerk.freshness.reach(5)
    assert now() == pytest.approx(0.025)
    clerk.freshness.advance(9)
    await far_off


@virtual_time
async def test_a_feed_that_moves_is_not_asked_how_far_it_is() -> None:
    clerk = Clerk()
    reader = asyncio.create_task(clerk.freshness.reach(50))
    for revision in range(50):
        clerk.freshness.advance(revision)
        await asyncio.sleep(0.004)
    assert not clerk.asked_at
    await asyncio.sleep(0.01)
    assert len(clerk.asked_at) == 1
    clerk.freshness.advance(50)
    await reader


@virtual_time
async def test_nobody_is_asked_when_nobody_waits_any_longer() -> None:
    clerk = Clerk()
    reader = asyncio.create_task(clerk.freshness.reach(5))
    await settle()
    reader.cancel()
    await asyncio.sleep(1)
    assert not clerk.asked_at


@virtual_time
async def test_closing_tells_those_who_wait_and_withdraws_the_question() -> None:
    freshness = Freshness(timedelta(seconds=3), lambda: asyncio.sleep(3600))
    reader = asyncio.create_task(freshness.reach(5))
    await asyncio.sleep(0.5)
    await freshness.close()
    with pytest.raises(Unavailable):
        await reader
    assert now() == 0.5


@virtual_time
async def test_a_reader_that_gave_up_leaves_nothing_behind() -> None:
    freshness = Clerk().freshness
    for revision in range(10):
        with pytest.raises(ResourceVersionTooLarge):
            await freshness.reach(2**60 + revision)
    assert not freshness._waiting


@virtual_time
async def test_a_reader_that_is_cancelled_takes_nothing_from_the_others() -> None:
    freshness = Clerk().freshness
    first, second = asyncio.create_task(freshness.reach(5)), asyncio.create_task(freshness.reach(5))
    await settle()
    first.cancel()
    await settle()
    freshness.advance(5)
    await second
    assert first.cancelled()


@virtual_time
async def test_a_cache_that_was_set_back_makes_readers_wait_again() -> None:
    clerk = Clerk()
    clerk.freshness.advance(9)
    clerk.freshness.advance(5)
    reader = asyncio.create_task(clerk.freshness.reach(7))
    await settle()
    assert not reader.done()
    clerk.freshness.advance(7)
    await reader


class Oracle:
    """Each question gets a number as its answer; `asked_when` says when, in the order of all that happened."""

    def __init__(self) -> None:
        self.moment = 0
        self.asked_when: list[int] = []
        self.takes = 1.0
        self.under_way = 0
        self.most_under_way = 0
        self.failure: Exception | None = None

    async def ask(self) -> int:
        self.moment += 1
        self.asked_when.append(self.moment)
        number = len(self.asked_when) - 1
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(self.takes)
        self.under_way -= 1
        if self.failure is not None:
            raise self.failure
        return number


@virtual_time
async def test_a_question_under_way_is_not_shared_with_those_who_come_late() -> None:
    oracle = Oracle()
    question = SharedQuestion(oracle.ask)
    early = asyncio.create_task(question.answer())
    await asyncio.sleep(0.5)
    late = [asyncio.create_task(question.answer()) for _ in range(50)]
    assert await early == 0
    assert await asyncio.gather(*late) == [1] * 50
    assert len(oracle.asked_when) == 2


@virtual_time
async def test_many_who_come_at_once_cost_two_questions_at_most() -> None:
    oracle = Oracle()
    question = SharedQuestion(oracle.ask)
    await asyncio.gather(*(question.answer() for _ in range(100)))
    assert len(oracle.asked_when) <= 2


@virtual_time
async def test_a_reader_between_two_questions_shares_the_second() -> None:
    oracle = Oracle()
    question = SharedQuestion(oracle.ask)

    async def first_and_again() -> list[int]:
        return [await question.answer(), await question.answer()]

    first = asyncio.create_task(first_and_again())
    await asyncio.sleep(0.5)
    assert await question.answer() == 1
    assert await first == [0, 1]
    assert len(oracle.asked_when) == 2


@virtual_time
async def test_a_question_that_is_withdrawn_leaves_its_readers_with_an_error_of_the_store() -> None:
    oracle = Oracle()
    question = SharedQuestion(oracle.ask)
    readers = [asyncio.create_task(question.answer()) for _ in range(2)]
    await asyncio.sleep(0.2)
    readers.append(asyncio.create_task(question.answer()))
    readers.append(asyncio.create_task(question.answer()))
    await settle()
    readers[3].cancel()
    await question.close()
    await asyncio.wait(readers)
    assert all(isinstance(reader.exception(), Unavailable) for reader in readers[:3])
    assert readers[3].cancelled()
    assert now() == 0.2


@virtual_time
async def test_a_stream_of_readers_never_has_more_than_two_questions_under_way() -> None:
    oracle = Oracle()
    question = SharedQuestion(oracle.ask)
    async with asyncio.TaskGroup() as readers:
        for _ in range(100):
            readers.create_task(question.answer())
            await asyncio.sleep(0.1)
    assert len(oracle.asked_when) >= 10
    assert oracle.most_under_way <= 2


@given(
    st.lists(st.sampled_from([0.0, 0.0, 0.1, 0.5, 1.0, 2.0]), min_size=1, max_size=20),
    st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=20, max_size=20),
)
@virtual_time
async def test_nobody_gets_an_answer_that_was_asked_for_before_they_came(
    gaps: list[float], durations: list[float]
) -> None:
    oracle = Oracle()
    question = SharedQuestion(oracle.ask)

    async def reader() -> None:
        oracle.moment += 1
        came = oracle.moment
        assert oracle.asked_when[await question.answer()] > came

    async with asyncio.TaskGroup() as readers:
        for gap, oracle.takes in zip(gaps, durations, strict=False):
            await asyncio.sleep(gap)
            readers.create_task(reader())
            readers.create_task(reader())


@virtual_time
async def test_a_reader_that_gives_up_does_not_take_the_answer_from_the_others() -> None:
    oracle = Oracle()
    question = SharedQuestion(oracle.ask)
    readers = [asyncio.create_task(question.answer()) for _ in range(4)]
    await asyncio.sleep(0.5)
    readers[0].cancel()
    readers[1].cancel()
    await asyncio.wait(readers)
    assert [reader.result() for reader in readers[2:]] == [1, 1]


@virtual_time
async def test_a_failed_question_fails_those_who_shared_it_and_nobody_after() -> None:
    oracle = Oracle()
    question = SharedQuestion(oracle.ask)
    oracle.failure = Unavailable("gone")
    answers = await asyncio.gather(*(question.answer() for _ in range(3)), return_exceptions=True)
    assert all(isinstance(answer, Unavailable) for answer in answers)
    oracle.failure = None
    assert await question.answer() == 2
