"""Who looks after the room in an etcd of our own: early, at once, and not all the time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import cast

import pytest

from localplane.apiserver.storage.backend import BackendStatus
from localplane.apiserver.storage.compaction import Compactor
from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.space import SpaceKeeper
from tests.unit.storage.virtual_time import now, settle, virtual_time

QUOTA = 1000


class FakeEtcd:
    """As much of etcd as its space: what is live, what history there is beside it, and how large the file grew."""

    def __init__(self, *, live: int = 100) -> None:
        self.live = live
        self.history = 0
        self.file = live
        self.armed = False
        self.away = False
        self.no_space = asyncio.Event()
        self.did: list[tuple[float, str]] = []

    def write(self, size: int) -> bool:
        if self.armed:
            self.no_space.set()
            return False
        self.history += size
        self.file = max(self.file, self.live + self.history)
        if self.file >= QUOTA:
            self.armed = True
            self.no_space.set()
        return True

    async def status(self) -> BackendStatus:
        if self.away:
            raise Unavailable("etcd is away")
        in_use = self.live + self.history
        return BackendStatus("3.5", self.file, 1, in_use_bytes=in_use, is_full=self.armed)

    async def compact_now(self) -> int:
        if self.away:
            raise Unavailable("etcd is away")
        self.did.append((now(), "compact"))
        self.history = 0
        return 7

    async def defragment(self) -> None:
        self.did.append((now(), "defragment"))
        self.file = self.live + self.history

    async def disarm(self) -> int:
        self.did.append((now(), "disarm"))
        self.armed = False
        return 1

    @property
    def deeds(self) -> list[str]:
        return [deed for _, deed in self.did]


def keeper_of(etcd: FakeEtcd) -> SpaceKeeper:
    return SpaceKeeper(cast(EtcdBackend, etcd), cast(Compactor, etcd), quota_bytes=QUOTA)


async def running(etcd: FakeEtcd, story: Callable[[], object], *, seconds: float) -> SpaceKeeper:
    keeper = keeper_of(etcd)
    task = asyncio.create_task(keeper.run())
    await settle()
    story()
    await asyncio.sleep(seconds)
    task.cancel()
    await asyncio.wait((task,))
    assert task.cancelled()
    return keeper


@virtual_time
async def test_a_full_store_is_compacted_defragmented_and_disarmed_at_once_and_in_this_order() -> None:
    etcd = FakeEtcd()
    keeper = await running(etcd, lambda: etcd.write(900), seconds=1)
    assert etcd.deeds == ["compact", "defragment", "disarm"]
    assert etcd.did[0][0] < 0.1
    assert not etcd.armed
    assert keeper.trouble == ""


@virtual_time
async def test_while_it_is_at_it_it_says_so() -> None:
    etcd = FakeEtcd()
    keeper = keeper_of(etcd)
    said: list[str] = []

    async def slowly() -> None:
        said.append(keeper.trouble)

    etcd.defragment = slowly  # type: ignore[method-assign] # what is said at that moment
    etcd.write(900)
    await keeper.look()
    assert said == ["etcd's database is full: its history is being compacted, and its file defragmented"]


@virtual_time
async def test_history_is_compacted_early_when_half_of_the_quota_is_used() -> None:
    etcd = FakeEtcd()
    await running(etcd, lambda: etcd.write(300), seconds=60)
    assert etcd.deeds == []
    await running(etcd, lambda: etcd.write(200), seconds=60)
    assert etcd.deeds == ["compact"]


@virtual_time
async def test_data_that_is_simply_large_is_not_compacted_again_and_again() -> None:
    etcd = FakeEtcd(live=700)
    await running(etcd, lambda: None, seconds=3500)
    assert etcd.deeds == ["compact"]


@virtual_time
async def test_after_an_early_compaction_the_next_comes_when_half_of_the_rest_is_used() -> None:
    etcd = FakeEtcd(live=700)
    keeper = keeper_of(etcd)
    await keeper.look()
    etcd.write(149)
    await keeper.look()
    assert etcd.deeds == ["compact"]
    etcd.write(2)
    await keeper.look()
    assert etcd.deeds == ["compact", "compact"]


@virtual_time
async def test_repairs_that_are_in_vain_become_rare() -> None:
    etcd = FakeEtcd(live=1100)
    etcd.armed = True

    async def in_vain() -> int:
        etcd.did.append((now(), "disarm"))
        etcd.no_space.set()
        return 1  # armed again by the next write

    etcd.disarm = in_vain  # type: ignore[method-assign] # as etcd does when what is live is larger than the quota
    await running(etcd, etcd.no_space.set, seconds=3500)
    times = [at for at, deed in etcd.did if deed == "disarm"]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert 10 < len(times) < 20
    assert all(later >= earlier for earlier, later in pairwise(pauses))
    assert 300 <= pauses[-1] <= 311


@virtual_time
async def test_repairs_that_help_stay_quick() -> None:
    etcd = FakeEtcd()
    keeper = keeper_of(etcd)
    task = asyncio.create_task(keeper.run())
    for _ in range(20):
        etcd.write(900)
        await asyncio.sleep(2)
        assert not etcd.armed
    task.cancel()
    await asyncio.wait((task,))


def test_a_store_that_is_away_is_looked_at_again(caplog: pytest.LogCaptureFixture) -> None:
    @virtual_time
    async def story() -> None:
        etcd = FakeEtcd()

        def full_and_away() -> None:
            etcd.write(900)
            etcd.away = True
            asyncio.get_running_loop().call_later(15, lambda: setattr(etcd, "away", False))

        await running(etcd, full_and_away, seconds=60)
        assert not etcd.armed

    story()
    assert "nobody can tell how much room etcd has: etcd is away" in caplog.text


def test_it_says_when_what_is_stored_needs_a_larger_quota(caplog: pytest.LogCaptureFixture) -> None:
    @virtual_time
    async def story() -> None:
        etcd = FakeEtcd(live=950)
        etcd.armed = True
        await keeper_of(etcd).look()

    story()
    assert "start with a larger --etcd-quota-backend-bytes, or delete something" in caplog.text
