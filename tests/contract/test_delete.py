"""Deleting objects: preconditions, validation, and suggestions that may be stale."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import KeyNotFound, PreconditionFailed
from localplane.apiserver.storage.interface import Preconditions
from localplane.apiserver.storage.objects import StoredObject
from tests.contract.pods import create, key_of, pod, with_metadata
from tests.contract.subjects import Subject

KEY = key_of(pod("foo"))


class Refused(Exception):
    """What a validation in these tests raises."""


def same_state(one: StoredObject, other: StoredObject) -> bool:
    """Equal but for the resourceVersion."""
    return _without_version(one) == _without_version(other)


def _without_version(obj: StoredObject) -> JSONObject:
    fields = obj.decode()
    del fields["metadata"]["resourceVersion"]
    return fields


async def is_gone(subject: Subject) -> bool:
    try:
        await subject.storage.get(KEY)
    except KeyNotFound:
        return True
    return False


@pytest.mark.upstream("RunTestUnconditionalDelete")
async def test_a_delete_returns_the_last_state_at_its_own_revision(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))

    deleted = await subject.storage.delete(KEY)

    assert same_state(deleted, created)
    assert deleted.revision > created.revision
    assert deleted.decode()["metadata"]["resourceVersion"] == str(deleted.revision)
    assert await is_gone(subject)


@pytest.mark.upstream("RunTestUnconditionalDelete")
async def test_an_absent_object_cannot_be_deleted(subject: Subject) -> None:
    with pytest.raises(KeyNotFound):
        await subject.storage.delete("/pods/test-ns/non-existing")


@pytest.mark.upstream("RunTestConditionalDelete")
async def test_a_matching_uid_lets_the_delete_through(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo", uid="A"))

    deleted = await subject.storage.delete(KEY, preconditions=Preconditions(uid="A"))

    assert same_state(deleted, created)
    assert deleted.revision > created.revision
    assert await is_gone(subject)


@pytest.mark.upstream("RunTestConditionalDelete")
@pytest.mark.parametrize("preconditions", [Preconditions(uid="B"), Preconditions(resource_version="1")])
async def test_a_precondition_that_does_not_hold_keeps_the_object(
    subject: Subject, preconditions: Preconditions
) -> None:
    await create(subject.storage, pod("foo", uid="A"))

    with pytest.raises(PreconditionFailed):
        await subject.storage.delete(KEY, preconditions=preconditions)

    assert not await is_gone(subject)


@pytest.mark.upstream("RunTestDeleteWithSuggestion")
async def test_a_current_suggestion_is_deleted(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))

    deleted = await subject.storage.delete(KEY, suggestion=created)

    assert same_state(deleted, created)
    assert await is_gone(subject)


@pytest.mark.upstream("RunTestDeleteWithSuggestionAndConflict")
async def test_a_stale_suggestion_deletes_the_live_object(subject: Subject) -> None:
    stale = await create(subject.storage, pod("foo"))
    updated = await subject.storage.guaranteed_update(KEY, with_metadata(labels={"foo": "bar"}))

    deleted = await subject.storage.delete(KEY, suggestion=stale)

    assert same_state(deleted, updated)
    assert await is_gone(subject)


@pytest.mark.upstream("RunTestDeleteWithConflict")
async def test_an_update_during_validation_makes_the_delete_validate_again(subject: Subject) -> None:
    await create(subject.storage, pod("foo"))
    validated: list[StoredObject] = []
    updated: list[StoredObject] = []

    async def update_once(obj: StoredObject) -> None:
        validated.append(obj)
        if not updated:
            updated.append(await subject.storage.guaranteed_update(KEY, with_metadata(labels={"foo": "bar"})))

    deleted = await subject.storage.delete(KEY, validate=update_once)

    assert len(validated) == 2
    assert validated[1].data == updated[0].data
    assert same_state(deleted, updated[0])
    assert await is_gone(subject)


@pytest.mark.upstream("RunTestDeleteWithSuggestionOfDeletedObject")
async def test_a_suggestion_of_a_deleted_object_is_not_found(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    await subject.storage.delete(KEY, suggestion=created)

    with pytest.raises(KeyNotFound):
        await subject.storage.delete(KEY, suggestion=created)


@pytest.mark.upstream("RunTestValidateDeletionWithSuggestion")
async def test_a_refusal_of_the_live_object_is_final_after_one_call(subject: Subject) -> None:
    created = await create(subject.storage, pod("foo"))
    calls = 0

    async def refuse(_: StoredObject) -> None:
        nonlocal calls
        calls += 1
        raise Refused

    with pytest.raises(Refused):
        await subject.storage.delete(KEY, validate=refuse, suggestion=created)

    assert calls == 1
    assert not await is_gone(subject)


@pytest.mark.upstream("RunTestValidateDeletionWithSuggestion")
async def test_a_refusal_of_a_stale_suggestion_does_not_count(subject: Subject) -> None:
    stale = await create(subject.storage, pod("foo"))
    await subject.storage.guaranteed_update(KEY, with_metadata(labels={"foo": "bar"}))
    calls = 0

    async def only_updated(obj: StoredObject) -> None:
        nonlocal calls
        calls += 1
        if obj.labels != {"foo": "bar"}:
            raise Refused

    await subject.storage.delete(KEY, validate=only_updated, suggestion=stale)

    assert calls <= 2
    assert await is_gone(subject)


@pytest.mark.upstream("RunTestValidateDeletionWithOnlySuggestionValid")
async def test_only_the_suggestion_passing_validation_is_not_enough(subject: Subject) -> None:
    stale = await create(subject.storage, pod("foo", labels={"foo": "bar"}))
    updated = await subject.storage.guaranteed_update(KEY, with_metadata(labels={"foo": "barbar"}))
    calls = 0

    async def only_original(obj: StoredObject) -> None:
        nonlocal calls
        calls += 1
        if obj.labels != {"foo": "bar"}:
            raise Refused

    with pytest.raises(Refused):
        await subject.storage.delete(KEY, validate=only_original, suggestion=stale)

    assert calls <= 2
    assert (await subject.storage.get(KEY)).data == updated.data


@pytest.mark.upstream("RunTestPreconditionalDeleteWithSuggestion")
async def test_a_precondition_is_checked_on_the_live_object_not_on_the_suggestion(subject: Subject) -> None:
    stale = await create(subject.storage, pod("foo"))
    await subject.storage.guaranteed_update(KEY, with_metadata(uid="mine"))

    await subject.storage.delete(KEY, preconditions=Preconditions(uid="mine"), suggestion=stale)

    assert await is_gone(subject)


@pytest.mark.upstream("RunTestPreconditionalDeleteWithOnlySuggestionPass")
async def test_a_precondition_that_only_the_suggestion_meets_fails(subject: Subject) -> None:
    stale = await create(subject.storage, pod("foo", uid="mine"))
    updated = await subject.storage.guaranteed_update(KEY, with_metadata(uid="other"))

    with pytest.raises(PreconditionFailed):
        await subject.storage.delete(KEY, preconditions=Preconditions(uid="mine"), suggestion=stale)

    assert (await subject.storage.get(KEY)).data == updated.data
