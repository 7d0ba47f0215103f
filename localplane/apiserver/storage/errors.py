"""Everything that storage can say no with.

    StorageError
    ├── KeyExists                    create met an object that is already there
    ├── KeyNotFound                  get, update or delete met nothing
    ├── CompareFailed                a backend's compare-and-swap saw another revision
    ├── PreconditionFailed           a caller's uid or resourceVersion precondition did not hold
    ├── InvalidKey                   the key could reach outside its resource
    ├── InvalidResourceVersion       not a decimal number, or beyond 64 bits
    ├── InvalidContinueToken         not one of our tokens, or not for this list
    ├── ResourceVersionOnCreate      an object to be created carries a resourceVersion
    ├── ResourceVersionTooOld        the history asked for has been compacted
    ├── ResourceVersionTooLarge      the future was asked for, and it did not come in time
    ├── InvalidObject                an object that could not be read again if it were stored
    ├── CorruptObject                stored bytes that are no JSON object, or none of its kind
    ├── RequestTooLarge              the store refuses a value of that size
    ├── NoSpace                      the store is full: reads and deletes still work
    ├── NotReady                     the cache is filling or refilling; ask again
    ├── NotPermitted                 whoever writes led once, and does no more
    └── Unavailable                  the store can't be reached
        └── TimedOut                 no answer in time: the write may or may not have happened

Rooms of their own have more: `data_directory` and `high_water` (DataDirectoryError), `etcd/program/binary`
(EtcdUnusable), `etcd/program/faults` (EtcdFailed), `etcd/program/install` (InstallFailed) and `sqlite/errors`
(UnusableDatabase).

`registry/errors` is the only place that turns these into API errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from localplane.apimachinery.golang.text import go_quote

if TYPE_CHECKING:
    from .backend import KeyValue


class StorageError(Exception):
    """The root; never raised itself."""


class KeyExists(StorageError):
    def __init__(self, key: str) -> None:
        super().__init__(f"key exists: {key}")
        self.key = key


class KeyNotFound(StorageError):
    def __init__(self, key: str) -> None:
        super().__init__(f"key not found: {key}")
        self.key = key


class CompareFailed(StorageError):
    """Carries what is there instead (None: nothing), so that the caller need not ask again."""

    def __init__(self, key: str, current: KeyValue | None) -> None:
        super().__init__(f"another revision is stored under {key}")
        self.key = key
        self.current = current


class PreconditionFailed(StorageError):
    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class InvalidKey(StorageError):
    def __init__(self, key: str, why: str) -> None:
        super().__init__(f"invalid key {key!r}: {why}")
        self.key = key


class InvalidResourceVersion(StorageError):
    """The message is Kubernetes', with Go's in it, because clients see it."""

    def __init__(self, value: str, *, why: str = "invalid syntax") -> None:
        quoted = go_quote(value)
        super().__init__(f"resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: {why}")
        self.value = value


class InvalidContinueToken(StorageError):
    pass


class ResourceVersionOnCreate(StorageError):
    def __init__(self) -> None:
        super().__init__("resourceVersion should not be set on objects to be created")


class ResourceVersionTooOld(StorageError):
    """`continue_token` is set when a list can go on, inconsistently, at the present."""

    def __init__(self, message: str, *, continue_token: str = "") -> None:
        super().__init__(message)
        self.continue_token = continue_token


class ResourceVersionTooLarge(StorageError):
    def __init__(self, requested: int, current: int) -> None:
        super().__init__(f"Too large resource version: {requested}, current: {current}")
        self.requested = requested
        self.current = current


class InvalidObject(StorageError):
    def __init__(self, why: str) -> None:
        super().__init__(f"the object can't be stored: {why}")
        self.why = why


class CorruptObject(StorageError):
    def __init__(self, key: str, why: str) -> None:
        super().__init__(f"the object stored under {key} can't be read: {why}")
        self.key = key
        self.why = why


class RequestTooLarge(StorageError):
    pass


class NoSpace(StorageError):
    pass


class NotReady(StorageError):
    pass


class NotPermitted(StorageError):
    """Whoever wanted to write may not any more: `permission`. To try again is in vain."""


class Unavailable(StorageError):
    """`may_have_happened`: a write was sent, and nobody knows what became of it. Without it, it certainly did not."""

    def __init__(self, reason: str, *, may_have_happened: bool = False) -> None:
        super().__init__(reason)
        self.may_have_happened = may_have_happened


class TimedOut(Unavailable):
    def __init__(self, reason: str) -> None:
        super().__init__(reason, may_have_happened=True)
