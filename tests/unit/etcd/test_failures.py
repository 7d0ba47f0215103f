"""Which storage error a failed call becomes, and whether a write may have happened."""

from __future__ import annotations

import pytest

from localplane.apiserver.storage.errors import (
    NoSpace,
    RequestTooLarge,
    ResourceVersionTooLarge,
    ResourceVersionTooOld,
    StorageError,
    TimedOut,
    Unavailable,
)
from localplane.apiserver.storage.etcd.client.failures import (
    Answered,
    Broken,
    CallFailure,
    DeadlineExceeded,
    LeaseNotFound,
    NotProcessed,
    storage_error,
)


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        (11, "etcdserver: mvcc: required revision has been compacted", ResourceVersionTooOld),
        (11, "etcdserver: mvcc: required revision is a future revision", ResourceVersionTooLarge),
        (3, "etcdserver: request is too large", RequestTooLarge),
        (8, "grpc: received message larger than max (3000000 vs. 2097152)", RequestTooLarge),
        (8, "etcdserver: mvcc: database space exceeded", NoSpace),
        (5, "etcdserver: requested lease not found", LeaseNotFound),
    ],
)
def test_answers_with_a_meaning_of_their_own(code: int, message: str, kind: type[StorageError]) -> None:
    assert type(storage_error(Answered(code, message), mutates=True)) is kind


@pytest.mark.parametrize(
    "message",
    [
        "etcdserver: no leader",
        "etcdserver: too many requests",
        "etcdserver: permission denied",
        "etcdserver: corrupt cluster",
    ],
)
def test_a_write_that_etcd_refused_to_begin_has_not_happened(message: str) -> None:
    error = storage_error(Answered(14, message), mutates=True)
    assert isinstance(error, Unavailable)
    assert not isinstance(error, TimedOut)
    assert not error.may_have_happened


@pytest.mark.parametrize(
    "failure",
    [
        DeadlineExceeded("no answer within 10 s"),
        Answered(4, "context deadline exceeded"),
        Answered(14, "etcdserver: request timed out"),
        Answered(14, "etcdserver: request timed out, possibly due to previous leader failure"),
        Answered(14, "etcdserver: request timed out, possibly due to connection lost"),
    ],
)
def test_a_write_that_took_too_long_has_timed_out_and_a_read_is_unavailable(failure: CallFailure) -> None:
    assert type(storage_error(failure, mutates=True)) is TimedOut
    read = storage_error(failure, mutates=False)
    assert type(read) is Unavailable
    assert not read.may_have_happened


@pytest.mark.parametrize(
    "failure",
    [
        Broken("the peer closed the connection"),
        Answered(14, "etcdserver: leader changed"),
        Answered(14, "etcdserver: server stopped"),
        Answered(1, "context canceled"),
        Answered(2, "a sentence that we have never heard"),
    ],
)
def test_a_write_that_failed_for_any_other_reason_is_in_doubt(failure: CallFailure) -> None:
    write = storage_error(failure, mutates=True)
    assert type(write) is Unavailable
    assert write.may_have_happened
    read = storage_error(failure, mutates=False)
    assert type(read) is Unavailable
    assert not read.may_have_happened


def test_a_write_that_was_not_processed_has_not_happened() -> None:
    error = storage_error(NotProcessed("the peer is going away"), mutates=True)
    assert isinstance(error, Unavailable)
    assert not isinstance(error, TimedOut)
    assert not error.may_have_happened


def test_a_revision_of_the_future_names_both_revisions() -> None:
    answered = Answered(11, "etcdserver: mvcc: required revision is a future revision")
    error = storage_error(answered, mutates=False, requested=900, current=7)
    assert str(error) == "Too large resource version: 900, current: 7"


def test_a_status_without_a_sentence_is_told_by_its_number() -> None:
    assert str(storage_error(Answered(2, ""), mutates=False)) == "gRPC status 2"
