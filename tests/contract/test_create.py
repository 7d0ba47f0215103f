"""Creating objects."""

from __future__ import annotations

from datetime import timedelta

import pytest

from localplane.apiserver.storage.errors import KeyExists, KeyNotFound, ResourceVersionOnCreate
from localplane.apiserver.storage.interface import EventType, WatchOptions
from localplane.apiserver.storage.objects import decode
from tests.contract.pods import create, key_of, pod
from tests.contract.subjects import Subject
from tests.contract.watching import next_change


@pytest.mark.upstream("RunTestCreate")
async def test_a_created_object_is_returned_with_its_resource_version(subject: Subject) -> None:
    foo = pod("foo")
    with pytest.raises(KeyNotFound):
        await subject.storage.get(key_of(foo))

    created = await create(subject.storage, foo)

    assert created.revision == await subject.backend.current_revision()
    expected = {**foo, "metadata": {**foo["metadata"], "resourceVersion": str(created.revision)}}
    assert created.decode() == expected
    assert (await subject.storage.get(key_of(foo))).decode() == expected


@pytest.mark.upstream("RunTestCreate")
async def test_the_stored_bytes_hold_the_object_without_a_resource_version(subject: Subject) -> None:
    foo = pod("foo", labels={"app": "web"})
    created = await create(subject.storage, foo)

    found = await subject.backend.get(subject.absolute(key_of(foo)))

    assert found.kv is not None
    assert found.kv.revision == created.revision
    assert decode(found.kv.key, found.kv.value) == foo


@pytest.mark.upstream("RunTestCreate")
async def test_an_object_that_carries_a_resource_version_is_not_created(subject: Subject) -> None:
    bar = pod("bar")
    bar["metadata"]["resourceVersion"] = "1"

    with pytest.raises(ResourceVersionOnCreate):
        await create(subject.storage, bar)

    with pytest.raises(KeyNotFound):
        await subject.storage.get(key_of(bar))


@pytest.mark.parametrize("version", ["v1", "-1", "00", "0", "1_0", "18446744073709551616"])
async def test_what_is_no_resource_version_is_none(subject: Subject, version: str) -> None:
    bar = pod("bar")
    bar["metadata"]["resourceVersion"] = version
    created = await create(subject.storage, bar)
    assert created.revision > 0


@pytest.mark.upstream("RunTestCreateWithTTL")
async def test_an_object_with_a_ttl_is_deleted_by_itself(subject: Subject) -> None:
    foo = pod("foo")
    created = await subject.storage.create(key_of(foo), foo, ttl=timedelta(seconds=1))
    options = WatchOptions(resource_version=str(created.revision), recursive=False)
    watch = await subject.storage.watch(key_of(foo), options)

    event = await next_change(watch)

    assert event.type is EventType.DELETED
    assert event.object is not None
    assert event.revision > created.revision
    with pytest.raises(KeyNotFound):
        await subject.storage.get(key_of(foo))
    await watch.stop()


@pytest.mark.upstream("RunTestCreateWithKeyExist")
async def test_a_second_create_under_the_same_key_is_refused(subject: Subject) -> None:
    first = await create(subject.storage, pod("foo"))

    with pytest.raises(KeyExists):
        await create(subject.storage, pod("foo", labels={"second": "yes"}))

    assert (await subject.storage.get(key_of(pod("foo")))).data == first.data
