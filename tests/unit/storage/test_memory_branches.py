"""A store in memory is branched: both have the same past, and neither sees what becomes of the other."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.errors import CompareFailed, Unavailable
from localplane.apiserver.storage.memory import MemoryBackend
from localplane.apiserver.storage.objects import encode

KEY = "/registry/configmaps/default/a"


def config_map(name: str) -> bytes:
    return encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}})


async def test_a_branch_has_what_was_there_and_goes_its_own_way() -> None:
    trunk = MemoryBackend()
    first = await trunk.put("a", b"1", expected=0)
    branch = trunk.branch()
    assert (await branch.get("a")).kv == (await trunk.get("a")).kv
    assert await branch.put("a", b"2", expected=first) == first + 1
    await trunk.put("b", b"3", expected=0)
    assert (found := (await trunk.get("a")).kv) is not None
    assert found.value == b"1"
    assert (await branch.get("b")).kv is None
    with pytest.raises(CompareFailed):
        await branch.put("a", b"4", expected=first)


async def test_a_branch_remembers_the_past() -> None:
    trunk = MemoryBackend()
    first = await trunk.put("a", b"1", expected=0)
    second = await trunk.put("a", b"2", expected=first)
    branch = trunk.branch()
    await trunk.compact(second)
    assert (found := (await branch.get("a", revision=first)).kv) is not None
    assert found.value == b"1"
    batch = await anext(branch.watch("a", "b", after=first))
    assert [change.value for change in batch.changes] == [b"2"]


async def test_what_expires_does_so_in_both() -> None:
    trunk = MemoryBackend()
    await trunk.put("a", b"1", expected=0, ttl=timedelta(milliseconds=30))
    branch = trunk.branch()
    watch = branch.watch("a", "b", after=branch.observed_revision)
    batch = await asyncio.wait_for(anext(watch), 10)
    assert [(change.key, change.value) for change in batch.changes] == [("a", None)]


async def test_a_closed_store_is_not_branched() -> None:
    trunk = MemoryBackend()
    await trunk.close()
    with pytest.raises(Unavailable):
        trunk.branch()


async def test_a_cache_begins_as_another_one_and_shares_its_objects() -> None:
    trunk = MemoryBackend()
    await trunk.put(KEY, config_map("a"), expected=0)
    cacher = Cacher(trunk)
    await cacher.start()
    branched = Cacher(trunk.branch())
    branched.start_as(cacher)
    assert branched.ready
    assert branched.index.get(KEY) is cacher.index.get(KEY)
    await branched.backend.delete(KEY, expected=2)
    await branched.catch_up()
    assert branched.index.get(KEY) is None
    assert cacher.index.get(KEY) is not None
    await branched.close()
    await cacher.close()
