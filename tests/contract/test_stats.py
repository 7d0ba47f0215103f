"""What a resource weighs."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import KeyNotFound
from localplane.apiserver.storage.interface import ListOptions, Stats
from localplane.apiserver.storage.objects import encode
from tests.contract.pods import create, key_of, pod, with_metadata
from tests.contract.subjects import Subject


async def stats(subject: Subject) -> Stats:
    # A consistent list first: a cache counts what it has, and it has what a list needs.
    await subject.storage.list("/pods/", ListOptions())
    return await subject.storage.stats()


def weight(*objects: JSONObject) -> Stats:
    sizes = [len(encode(obj)) for obj in objects]
    return Stats(len(sizes), sum(sizes) // len(sizes) if sizes else 0)


@pytest.mark.upstream("RunTestStats")
async def test_stats_count_the_objects_and_their_stored_bytes(subject: Subject) -> None:
    foo, bar = pod("foo"), pod("barbarian")
    assert await stats(subject) == weight()
    await create(subject.storage, foo)
    assert await stats(subject) == weight(foo)
    await create(subject.storage, bar)
    assert await stats(subject) == weight(foo, bar)

    await subject.storage.guaranteed_update(key_of(bar), with_metadata(labels={"foo": "bar"}))
    heavier = pod("barbarian", labels={"foo": "bar"})
    assert await stats(subject) == weight(foo, heavier)

    await subject.storage.delete(key_of(foo))
    assert await stats(subject) == weight(heavier)
    with pytest.raises(KeyNotFound):
        await subject.storage.delete(key_of(foo))
    assert await stats(subject) == weight(heavier)
    await subject.storage.delete(key_of(bar))
    assert await stats(subject) == weight()


@pytest.mark.upstream("RunTestStats")
async def test_stats_are_of_one_resource(subject: Subject) -> None:
    await subject.resource("/pods.apps/").create("/pods.apps/ns/a", pod("a"))
    await create(subject.storage, pod("foo"))

    assert await stats(subject) == weight(pod("foo"))
