"""Reading one object: how new the answer must be."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from localplane.apiserver.storage.errors import InvalidResourceVersion, KeyNotFound, ResourceVersionTooLarge
from localplane.apiserver.storage.objects import StoredObject
from tests.contract.pods import create, key_of, pod, with_metadata
from tests.contract.subjects import LARGEST_RESOURCE_VERSION, Subject

KEY = key_of(pod("foo"))


@dataclass(frozen=True, slots=True)
class History:
    """`foo` was created and then updated; `other` came last."""

    created: StoredObject
    updated: StoredObject
    other: StoredObject


async def make_history(subject: Subject) -> History:
    created = await create(subject.storage, pod("foo"))
    updated = await subject.storage.guaranteed_update(KEY, with_metadata(annotations={"updated": "yes"}))
    other = await create(subject.storage, pod("bar"))
    return History(created, updated, other)


@pytest.mark.upstream("RunTestGet")
async def test_without_a_resource_version_the_newest_object_is_read(subject: Subject) -> None:
    history = await make_history(subject)

    assert (await subject.storage.get(KEY)).data == history.updated.data


@pytest.mark.upstream("RunTestGet")
async def test_resource_version_zero_may_be_answered_from_any_time(subject: Subject) -> None:
    history = await make_history(subject)
    try:
        answer = (await subject.storage.get(KEY, resource_version="0")).data
    except KeyNotFound:
        assert subject.cached, "a store that is asked directly has the object"
    else:
        assert answer in (history.created.data, history.updated.data)


@pytest.mark.upstream("RunTestGet")
async def test_an_old_resource_version_may_be_answered_with_a_newer_object(subject: Subject) -> None:
    history = await make_history(subject)

    answer = await subject.storage.get(KEY, resource_version=str(history.created.revision))

    assert answer.data in (history.created.data, history.updated.data)


@pytest.mark.upstream("RunTestGet")
async def test_the_objects_own_resource_version_reads_at_least_that_version(subject: Subject) -> None:
    history = await make_history(subject)

    answer = await subject.storage.get(KEY, resource_version=str(history.updated.revision))

    assert answer.data == history.updated.data


@pytest.mark.upstream("RunTestGet")
async def test_the_resource_version_of_a_later_object_is_as_good(subject: Subject) -> None:
    history = await make_history(subject)

    answer = await subject.storage.get(KEY, resource_version=str(history.other.revision))

    assert answer.data == history.updated.data


@pytest.mark.upstream("RunTestGet")
async def test_a_resource_version_from_the_future_is_too_large(subject: Subject) -> None:
    await make_history(subject)

    with pytest.raises(ResourceVersionTooLarge):
        await subject.storage.get(KEY, resource_version=LARGEST_RESOURCE_VERSION)


@pytest.mark.upstream("RunTestGet")
@pytest.mark.parametrize("resource_version", ["", "0"])
async def test_an_absent_object_is_not_found(subject: Subject, resource_version: str) -> None:
    await make_history(subject)

    with pytest.raises(KeyNotFound):
        await subject.storage.get("/pods/test-ns/non-existing", resource_version=resource_version)


@pytest.mark.upstream("RunTestGet")
@pytest.mark.parametrize("resource_version", ["abc", "-1", " 1", "1.0", "0x1", "18446744073709551616"])
async def test_a_resource_version_is_a_decimal_number(subject: Subject, resource_version: str) -> None:
    await create(subject.storage, pod("foo"))

    with pytest.raises(InvalidResourceVersion):
        await subject.storage.get(KEY, resource_version=resource_version)


@pytest.mark.upstream("RunTestGet")
async def test_an_object_is_read_as_it_is_right_after_every_write(subject: Subject) -> None:
    written = await create(subject.storage, pod("foo"))
    for generation in range(20):
        assert (await subject.storage.get(KEY)).data == written.data
        written = await subject.storage.guaranteed_update(KEY, with_metadata(generation=generation))
    await subject.storage.delete(KEY)
    with pytest.raises(KeyNotFound):
        await subject.storage.get(KEY)
