"""How far the search for a lost answer goes, and what it may conclude where creates can be fenced off."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from localplane.apiserver.storage.errors import CompareFailed, NoSpace, Unavailable
from localplane.apiserver.storage.memory import MemoryBackend
from localplane.apiserver.storage.store import CertainWrites
from tests.contract.losing import Fate, LostAnswers, losing

SOON = timedelta(milliseconds=50)


@pytest.fixture
def backend() -> MemoryBackend:
    return MemoryBackend()


@pytest.fixture
def lost(backend: MemoryBackend) -> Any:
    with losing(backend) as lost:
        yield lost


async def away(*_: Any, **__: Any) -> Any:
    raise Unavailable("the store can't be reached")


async def test_patience_ends(backend: MemoryBackend, lost: LostAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = CertainWrites(backend, patience=SOON)
    revision = await writes.put("/a", b"1", expected=0)
    monkeypatch.setattr(backend, "get", away)
    for write in (
        writes.put("/b", b"1", expected=0),
        writes.put("/a", b"2", expected=revision),
        writes.delete("/a", expected=revision),
    ):
        lost.meet(*[Fate.NEVER] * 100)
        with pytest.raises(Unavailable) as caught:
            await write
        assert caught.value.may_have_happened


async def test_a_store_that_holds_its_answer_back_does_not_hold_up_for_longer(
    backend: MemoryBackend, lost: LostAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(*_: Any, **__: Any) -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr(backend, "get", silent)
    lost.meet(Fate.DONE)
    with pytest.raises(Unavailable) as caught:
        await CertainWrites(backend, patience=SOON).put("/a", b"1", expected=0)
    assert caught.value.may_have_happened


class Fence:
    """What was on its way before it was asked for gets there meanwhile, or never; `works` is what it then says."""

    def __init__(self, lost: LostAnswers, *, works: bool = True) -> None:
        self._lost = lost
        self._works = works
        self.moves = 0

    async def __call__(self) -> bool:
        self.moves += 1
        await self._lost.arrive()
        return self._works


@pytest.mark.parametrize("fate", [Fate.DONE, Fate.NEVER, Fate.LATE])
async def test_what_is_not_there_behind_a_fence_never_will_be_and_is_sent_anew(
    backend: MemoryBackend, lost: LostAnswers, fate: Fate
) -> None:
    fence = Fence(lost)
    lost.meet(fate)
    revision = await CertainWrites(backend, fence=fence).put("/a", b"1", expected=0)
    kv = (await backend.get("/a")).kv
    assert kv is not None
    assert (kv.value, kv.revision) == (b"1", revision)
    assert await backend.current_revision() == revision
    assert len(lost.sent) == (2 if fate is Fate.NEVER else 1)
    assert fence.moves == (0 if fate is Fate.DONE else 1)


async def test_without_a_fence_that_works_it_may_still_come(backend: MemoryBackend, lost: LostAnswers) -> None:
    lost.meet(Fate.NEVER)
    with pytest.raises(Unavailable) as caught:
        await CertainWrites(backend, fence=Fence(lost, works=False)).put("/a", b"1", expected=0)
    assert caught.value.may_have_happened
    assert len(lost.sent) == 1


async def test_what_was_sent_anew_may_get_lost_too(backend: MemoryBackend, lost: LostAnswers) -> None:
    fence = Fence(lost)
    lost.meet(Fate.NEVER, Fate.LATE, Fate.DONE)
    revision = await CertainWrites(backend, fence=fence).put("/a", b"1", expected=0)
    assert revision == await backend.current_revision() == 2
    assert len(lost.sent) == 2
    assert fence.moves == 2


async def test_what_came_and_went_before_the_fence_is_not_made_again(backend: MemoryBackend, lost: LostAnswers) -> None:
    async def come_and_go() -> bool:
        await lost.arrive()
        kv = (await backend.get("/a")).kv
        assert kv is not None
        await backend.delete("/a", expected=kv.revision)
        return True

    lost.meet(Fate.LATE)
    assert await CertainWrites(backend, fence=come_and_go).put("/a", b"1", expected=0) == 2
    assert (await backend.get("/a")).kv is None


async def test_where_another_came_first_behind_a_fence_the_refusal_is_certain(
    backend: MemoryBackend, lost: LostAnswers
) -> None:
    lost.meet(Fate.NEVER)
    lost.afterwards = lambda: backend.put("/a", b"2", expected=0)
    with pytest.raises(CompareFailed):
        await CertainWrites(backend, fence=Fence(lost)).put("/a", b"1", expected=0)


async def test_history_that_is_gone_proves_nothing(backend: MemoryBackend, lost: LostAnswers) -> None:
    writes = CertainWrites(backend)
    revision = await writes.put("/a", b"1", expected=0)

    async def forget() -> None:
        kv = (await backend.get("/a")).kv
        assert kv is not None
        for value in (b"3", b"4"):
            kv.revision = await backend.put("/a", value, expected=kv.revision)
        await backend.compact(kv.revision)

    lost.meet(Fate.DONE)
    lost.afterwards = forget
    with pytest.raises(Unavailable) as caught:
        await writes.put("/a", b"2", expected=revision)
    assert caught.value.may_have_happened


async def test_a_store_that_is_full_by_now_proves_nothing(
    backend: MemoryBackend, lost: LostAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = CertainWrites(backend)
    revision = await writes.put("/a", b"1", expected=0)

    async def full(*_: Any, **__: Any) -> int:
        raise NoSpace("full")

    async def fill() -> None:
        monkeypatch.setattr(backend, "put", full)

    lost.meet(Fate.NEVER)
    lost.afterwards = fill
    with pytest.raises(Unavailable) as caught:
        await writes.put("/a", b"2", expected=revision)
    assert caught.value.may_have_happened


async def test_a_write_that_was_never_decided_stays_a_twin(backend: MemoryBackend, lost: LostAnswers) -> None:
    """Whoever writes the same later can't tell its own write from one that was still on its way."""
    writes = CertainWrites(backend, patience=SOON)
    revision = await writes.put("/a", b"1", expected=0)
    lost.meet(Fate.LATE, *[Fate.NEVER] * 20)
    with pytest.raises(Unavailable):
        await writes.put("/a", b"2", expected=revision)
    lost.meet(Fate.NEVER)
    lost.afterwards = lost.arrive
    with pytest.raises(Unavailable) as caught:
        await writes.put("/a", b"2", expected=revision)
    assert caught.value.may_have_happened


async def test_so_does_one_whose_sender_left(backend: MemoryBackend, lost: LostAnswers) -> None:
    writes = CertainWrites(backend)
    revision = await writes.put("/a", b"1", expected=0)
    sent = asyncio.Event()

    async def leave() -> None:
        sent.set()
        await asyncio.Event().wait()

    lost.meet(Fate.LATE)
    lost.afterwards = leave
    sender = asyncio.create_task(writes.put("/a", b"2", expected=revision))
    await sent.wait()
    sender.cancel()
    await asyncio.wait((sender,))
    lost.meet(Fate.NEVER)
    lost.afterwards = lost.arrive
    with pytest.raises(Unavailable) as caught:
        await writes.put("/a", b"2", expected=revision)
    assert caught.value.may_have_happened


async def test_nothing_is_remembered_of_writes_that_are_done(backend: MemoryBackend) -> None:
    writes = CertainWrites(backend)
    await asyncio.gather(*(writes.put("/a", b"1", expected=0) for _ in range(5)), return_exceptions=True)
    assert writes._on_their_way == {}


async def test_of_two_who_delete_the_same_version_none_is_told_that_it_was_the_other(
    backend: MemoryBackend, lost: LostAnswers
) -> None:
    writes = CertainWrites(backend, patience=SOON)
    revision = await writes.put("/a", b"1", expected=0)
    lost.meet(Fate.DONE, Fate.NEVER)
    done = await asyncio.gather(*(writes.delete("/a", expected=revision) for _ in range(2)), return_exceptions=True)
    assert [isinstance(one, Unavailable) and one.may_have_happened for one in done] == [True, True]
    assert (await backend.get("/a")).kv is None
