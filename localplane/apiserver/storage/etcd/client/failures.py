"""How a call can fail, and which storage error that is.

    CallFailure
    ├── NotProcessed     certainly without effect: never sent whole, or refused by the peer unread
    ├── Broken           the connection broke after the request was sent
    ├── DeadlineExceeded no answer before the deadline
    └── Answered         etcd answered, and the answer is a gRPC status other than OK

These live inside the client. Only storage errors leave it; `LeaseNotFound`, one of them, is for `leases`, and
`PermissionDenied` for `fence`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from localplane.apiserver.storage.errors import (
    NoSpace,
    RequestTooLarge,
    ResourceVersionTooLarge,
    ResourceVersionTooOld,
    StorageError,
    TimedOut,
    Unavailable,
)

if TYPE_CHECKING:
    from collections.abc import Callable

# gRPC status codes: google.golang.org/grpc/codes
CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE = 1, 2, 4, 13, 14

# etcd's sentences: api/v3rpc/rpctypes/error.go
NO_LEADER = "etcdserver: no leader"
_FUTURE_REVISION = "etcdserver: mvcc: required revision is a future revision"
REQUEST_TIMED_OUT = "etcdserver: request timed out"  # the beginning of three sentences
_GRPC_TOO_LARGE = "received message larger than max"  # a part of grpc-go's sentence

# Who we are has to be shown anew: the token has expired, or there was none when users were not asked for yet.
UNAUTHENTICATED = frozenset(
    {
        "etcdserver: invalid auth token",
        "etcdserver: user name is empty",
        "etcdserver: revision of auth store is old",
    }
)
USERS_ARE_NOT_ASKED_FOR = "etcdserver: authentication is not enabled"

# Answers that etcd gives before it does anything about the request: nothing happened, for certain.
_REFUSED_UNDONE = frozenset(
    {
        NO_LEADER,
        *UNAUTHENTICATED,
        "etcdserver: authentication failed, invalid user ID or password",
        "etcdserver: too many requests",
        "etcdserver: not capable",
        "etcdserver: rpc not supported for learner",
        "etcdserver: corrupt cluster",
    }
)


class CallFailure(Exception):
    """The root; never raised itself."""


class NotProcessed(CallFailure):
    pass


class Broken(CallFailure):
    pass


class DeadlineExceeded(CallFailure):
    pass


class Answered(CallFailure):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message or f"gRPC status {code}")
        self.code = code
        self.message = message


class LeaseNotFound(Unavailable):
    """The lease that a write named has expired; the write did not happen."""


class PermissionDenied(Unavailable):
    """This user may not do this to this key; nothing happened."""


_PLAIN_ANSWERS: dict[str, Callable[[str], StorageError]] = {
    "etcdserver: mvcc: required revision has been compacted": ResourceVersionTooOld,
    "etcdserver: request is too large": RequestTooLarge,
    "etcdserver: mvcc: database space exceeded": NoSpace,
    "etcdserver: requested lease not found": LeaseNotFound,
    "etcdserver: permission denied": PermissionDenied,
}


def storage_error(failure: CallFailure, *, mutates: bool, requested: int = 0, current: int = 0) -> StorageError:
    """The error that callers see. `requested` and `current` are the revisions a "too large" speaks of."""
    if isinstance(failure, Answered):
        return _answer(failure, mutates=mutates, requested=requested, current=current)
    if isinstance(failure, DeadlineExceeded) and mutates:
        return TimedOut(f"etcd: {failure}")
    happened = mutates and not isinstance(failure, NotProcessed)
    return Unavailable(f"etcd: {failure}", may_have_happened=happened)


def _answer(answer: Answered, *, mutates: bool, requested: int, current: int) -> StorageError:
    message = answer.message
    if message in _PLAIN_ANSWERS:
        return _PLAIN_ANSWERS[message](message)
    if message == _FUTURE_REVISION:
        return ResourceVersionTooLarge(requested, current)
    if _GRPC_TOO_LARGE in message:
        return RequestTooLarge(message)
    late = answer.code == DEADLINE_EXCEEDED or message.startswith(REQUEST_TIMED_OUT)
    if late and mutates:
        return TimedOut(str(answer))
    # An answer that we do not know leaves a write in doubt: better a needless doubt than a false certainty.
    return Unavailable(str(answer), may_have_happened=mutates and message not in _REFUSED_UNDONE)
