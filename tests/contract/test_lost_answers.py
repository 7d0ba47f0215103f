"""A write whose answer was lost is done once, and its sender is told the truth or that nobody knows it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import KeyExists, KeyNotFound, Unavailable
from localplane.apiserver.storage.interface import UpdateFunc
from localplane.apiserver.storage.objects import StoredObject
from tests.contract.losing import Fate, LostAnswers, losing
from tests.contract.pods import create, key_of, pod
from tests.contract.subjects import Subject

FOO = pod("foo", uid="1")
KEY = key_of(FOO)


@pytest.fixture
def lost(subject: Subject) -> Iterator[LostAnswers]:
    with losing(subject.backend) as lost:
        yield lost


def appending(line: str, runs: list[str] | None = None) -> UpdateFunc:
    async def update(current: JSONObject) -> JSONObject:
        if runs is not None:
            runs.append(line)
        return current | {"lines": [*current.get("lines", []), line]}

    return update


async def live(subject: Subject) -> StoredObject | None:
    kv = (await subject.backend.get(subject.absolute(KEY))).kv
    return StoredObject.from_stored(KEY, kv.value, kv.revision) if kv else None


async def lines(subject: Subject) -> list[str]:
    there = await live(subject)
    assert there is not None
    return list(there.decode().get("lines", []))


async def test_a_create_that_was_done_is_answered_with_what_is_stored(subject: Subject, lost: LostAnswers) -> None:
    lost.meet(Fate.DONE)
    created = await create(subject.storage, FOO)
    there = await live(subject)
    assert there is not None
    assert (created.data, created.revision) == (there.data, there.revision)
    assert (await subject.storage.get(KEY)).data == created.data
    assert len(lost.sent) == 1


async def test_a_create_that_was_done_and_undone_was_a_create(subject: Subject, lost: LostAnswers) -> None:
    async def somebody_deletes_it() -> None:
        there = await live(subject)
        assert there is not None
        await subject.backend.delete(subject.absolute(KEY), expected=there.revision)

    lost.meet(Fate.DONE)
    lost.afterwards = somebody_deletes_it
    created = await create(subject.storage, FOO)
    assert created.uid == "1"
    assert await live(subject) is None


async def test_a_create_that_is_not_there_may_yet_come_and_is_not_sent_again(
    subject: Subject, lost: LostAnswers
) -> None:
    lost.meet(Fate.LATE)
    with pytest.raises(Unavailable) as caught:
        await create(subject.storage, FOO)
    assert caught.value.may_have_happened
    assert await live(subject) is None
    await lost.arrive()
    assert await live(subject) is not None
    assert len(lost.sent) == 1


async def test_a_create_that_comes_while_it_is_looked_for_is_found(
    subject: Subject, lost: LostAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    get = subject.backend.get

    async def get_and_let_arrive(key: str, *, revision: int = 0) -> object:
        found = await get(key, revision=revision)
        await lost.arrive()
        return found

    monkeypatch.setattr(subject.backend, "get", get_and_let_arrive)
    lost.meet(Fate.LATE)
    assert (await create(subject.storage, FOO)).uid == "1"
    assert len(lost.sent) == 1


async def test_a_create_in_whose_place_another_stands_is_not_called_refused(
    subject: Subject, lost: LostAnswers
) -> None:
    """The other may go before ours comes."""
    lost.meet(Fate.LATE)
    lost.afterwards = lambda: create(subject.storage, pod("foo", uid="2"))
    with pytest.raises(Unavailable) as caught:
        await create(subject.storage, FOO)
    assert caught.value.may_have_happened
    await lost.arrive()
    assert lost.refusals == ["CompareFailed"]


@pytest.mark.parametrize("fate", [Fate.DONE, Fate.NEVER, Fate.LATE])
async def test_an_update_is_done_once(subject: Subject, lost: LostAnswers, fate: Fate) -> None:
    created = await create(subject.storage, FOO)
    runs: list[str] = []
    lost.meet(fate)
    updated = await subject.storage.guaranteed_update(KEY, appending("a", runs))
    await lost.arrive()
    assert await lines(subject) == updated.decode()["lines"] == ["a"]
    assert runs == ["a"]
    there = await live(subject)
    assert there is not None
    assert there.revision == updated.revision > created.revision
    assert lost.refusals == (["CompareFailed"] if fate is Fate.LATE else [])


async def test_an_update_that_others_have_built_upon_was_done(subject: Subject, lost: LostAnswers) -> None:
    await create(subject.storage, FOO)
    lost.meet(Fate.DONE)
    lost.afterwards = lambda: subject.storage.guaranteed_update(KEY, appending("b"))
    updated = await subject.storage.guaranteed_update(KEY, appending("a"))
    assert updated.decode()["lines"] == ["a"]
    assert await lines(subject) == ["a", "b"]


async def test_an_update_that_others_have_come_before_is_worked_out_anew(subject: Subject, lost: LostAnswers) -> None:
    await create(subject.storage, FOO)
    lost.meet(Fate.LATE)
    lost.afterwards = lambda: subject.storage.guaranteed_update(KEY, appending("b"))
    updated = await subject.storage.guaranteed_update(KEY, appending("a"))
    await lost.arrive()
    assert await lines(subject) == updated.decode()["lines"] == ["b", "a"]


async def test_an_update_of_what_went_meanwhile_is_one_of_nothing(subject: Subject, lost: LostAnswers) -> None:
    await create(subject.storage, FOO)
    lost.meet(Fate.LATE)
    lost.afterwards = lambda: subject.storage.delete(KEY)
    with pytest.raises(KeyNotFound):
        await subject.storage.guaranteed_update(KEY, appending("a"))


async def test_of_two_who_write_the_same_only_one_is_told_that_it_did(subject: Subject, lost: LostAnswers) -> None:
    """Both append the same line to the same version, so the bytes don't tell whose were stored."""
    await create(subject.storage, FOO)
    await subject.storage.get(KEY)
    lost.meet(Fate.NEVER, Fate.DONE)
    outcomes = await asyncio.gather(
        subject.storage.guaranteed_update(KEY, appending("a")),
        subject.storage.guaranteed_update(KEY, appending("a")),
        return_exceptions=True,
    )
    told = sum(isinstance(outcome, StoredObject) for outcome in outcomes)
    unknown = [outcome for outcome in outcomes if isinstance(outcome, Unavailable) and outcome.may_have_happened]
    assert told + len(unknown) == 2
    assert told <= len(await lines(subject))


@pytest.mark.parametrize("fate", [Fate.DONE, Fate.NEVER, Fate.LATE])
async def test_a_delete_is_done_once(subject: Subject, lost: LostAnswers, fate: Fate) -> None:
    created = await create(subject.storage, FOO)
    lost.meet(fate)
    deleted = await subject.storage.delete(KEY)
    await lost.arrive()
    assert await live(subject) is None
    assert deleted.uid == "1"
    assert deleted.revision > created.revision
    with pytest.raises(KeyNotFound):
        await subject.storage.get(KEY)


async def test_a_delete_does_not_take_what_was_made_anew(subject: Subject, lost: LostAnswers) -> None:
    async def recreated() -> None:
        await create(subject.storage, pod("foo", uid="2"))

    await create(subject.storage, FOO)
    lost.meet(Fate.DONE)
    lost.afterwards = recreated
    assert (await subject.storage.delete(KEY)).uid == "1"
    there = await live(subject)
    assert there is not None
    assert there.uid == "2"


async def test_a_delete_that_others_have_come_before_looks_at_what_they_wrote(
    subject: Subject, lost: LostAnswers
) -> None:
    seen: list[list[str]] = []

    async def validate(current: StoredObject) -> None:
        seen.append(current.decode().get("lines", []))

    await create(subject.storage, FOO)
    lost.meet(Fate.LATE)
    lost.afterwards = lambda: subject.storage.guaranteed_update(KEY, appending("b"))
    await subject.storage.delete(KEY, validate=validate)
    assert seen == [[], ["b"]]
    assert await live(subject) is None


@pytest.mark.parametrize("fate", [Fate.DONE, Fate.NEVER])
async def test_an_answer_may_be_lost_again(subject: Subject, lost: LostAnswers, fate: Fate) -> None:
    await create(subject.storage, FOO)
    lost.meet(fate, Fate.NEVER, Fate.REFUSED, Fate.NEVER)
    await subject.storage.guaranteed_update(KEY, appending("a"))
    assert await lines(subject) == ["a"]


async def test_what_was_certainly_not_done_is_told_at_once(subject: Subject, lost: LostAnswers) -> None:
    lost.meet(Fate.REFUSED)
    with pytest.raises(Unavailable) as caught:
        await create(subject.storage, FOO)
    assert not caught.value.may_have_happened
    assert len(lost.sent) == 1
    await create(subject.storage, FOO)
    with pytest.raises(KeyExists):
        await create(subject.storage, FOO)
