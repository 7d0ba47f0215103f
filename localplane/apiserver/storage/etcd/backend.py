"""The backend on etcd: each verb is one transaction or one range."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from localplane.apiserver.storage.backend import BackendStatus, Found, KeyValue, Page, Wanted
from localplane.apiserver.storage.errors import (
    CompareFailed,
    NoSpace,
    ResourceVersionTooOld,
    StorageError,
    Unavailable,
)

from .client.failures import LeaseNotFound
from .client.messages import (
    ALARM_DEACTIVATE,
    ALARM_GET,
    ALARM_NOSPACE,
    COMPARE_EQUAL,
    COMPARE_MOD,
    AlarmRequest,
    CompactionRequest,
    DefragmentRequest,
    RangeRequest,
    StatusRequest,
    TxnRequest,
    WatchCreateRequest,
)
from .client.methods import ALARM, COMPACT, DEFRAGMENT, RANGE, STATUS, TXN
from .fence import Fence
from .leases import Leases
from .registration import Registration
from .replacement import Replacement
from .space import repair_advice
from .watch import EtcdWatch, key_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .client.client import EtcdClient

_COMPACTION_LIMIT = timedelta(minutes=5)
_DEFRAGMENTATION_LIMIT = timedelta(minutes=5)

_SPARE_KEY = b"localplane/advance-revision"
_WRITES_AT_ONCE = 128

_ALARMS = {
    "CORRUPT": "etcd found its data to differ between members (CORRUPT): restore the damaged member from another",
    "no leader": "etcd has no leader: too few of its members can be reached",
}


class EtcdBackend:
    """A Backend. `exclusive` is for whoever started this etcd and let nobody else in.

    An unlimited range is read in pages of `page_size` keys, all at one revision: an answer of any size would hold
    up etcd, run into the call's deadline and block our event loop while it is decoded.
    """

    def __init__(self, client: EtcdClient, *, exclusive: bool, page_size: int = 10_000) -> None:
        self._client = client
        self._exclusive = exclusive
        self._page_size = page_size
        self._leases = Leases(client, clock=time.monotonic)
        self._fence = Fence(client, self._leases)
        self._compacted = 0
        self.no_space = asyncio.Event()
        """Set whenever a write found no room; whoever waits for it clears it."""

    @property
    def name(self) -> str:
        return "etcd"

    @property
    def exclusive(self) -> bool:
        return self._exclusive

    @property
    def observed_revision(self) -> int:
        return self._client.observed_revision

    @property
    def compacted_revision(self) -> int:
        return self._compacted

    async def get(self, key: str, *, revision: int = 0) -> Found:
        response = await self._range(RangeRequest(key=_raw(key), revision=revision))
        kv = key_value(response.kvs[0]) if response.kvs else None
        return Found(kv, response.header.revision)

    async def range(self, start: str, end: str, *, limit: int = 0, revision: int = 0) -> Page:
        if limit:
            return await self._page(start, end, limit, revision)
        page = await self._page(start, end, self._page_size, revision)
        if page.count <= self._page_size:
            return page
        try:
            return await self._rest(page, end, revision or page.revision)
        except ResourceVersionTooOld:
            if revision:
                raise
            return await self._page(start, end, 0, 0)  # compacted between our pages: take it in one piece

    async def count(self, start: str, end: str) -> int:
        request = RangeRequest(key=_raw(start), range_end=_raw(end), count_only=True)
        count: int = (await self._range(request)).count
        return count

    async def put(self, key: str, value: bytes, *, expected: int, ttl: timedelta | None = None) -> int:
        try:
            if ttl is None:
                return await self._put(key, value, expected, lease=0)
            return await self._put_for(ttl, key, value, expected)
        except NoSpace as error:
            self.no_space.set()
            revision = await self._revision_of_write(key, value, expected)
            if not revision:
                raise NoSpace(f"{error}: {self._what_to_do()}") from error
            return revision

    async def delete(self, key: str, *, expected: int) -> int:
        transaction = _if_unchanged(key, expected)
        transaction.success.add().request_delete_range.key = _raw(key)
        response = await self._client.call(TXN, transaction)
        if not response.succeeded:
            raise CompareFailed(key, _current(response))
        if not response.responses[0].response_delete_range.deleted:
            raise CompareFailed(key, None)
        revision: int = response.header.revision
        return revision

    async def replace(self, start: str, end: str, wanted: Sequence[Wanted]) -> int:
        return await Replacement(self._client, self._leases, start, end, self.range).run(wanted)

    async def finish_replacement(self, start: str, end: str) -> None:
        """Before anybody reads the range: whoever was killed while it was replaced may have left it half done."""
        await Replacement(self._client, self._leases, start, end, self.range).finish()

    def watch(self, start: str, end: str, *, after: int, previous: bool = True) -> EtcdWatch:
        return EtcdWatch(
            self._client,
            WatchCreateRequest(
                key=_raw(start),
                range_end=_raw(end),
                start_revision=after + 1,
                prev_kv=previous,
                progress_notify=True,
                fragment=True,
            ),
            compacted=self._learn_of_compaction,
        )

    async def current_revision(self) -> int:
        response = await self._range(RangeRequest(key=b"\0", count_only=True))
        revision: int = response.header.revision
        return revision

    async def compact(self, revision: int) -> None:
        """Returns when the space can be used again. Meanwhile etcd serves."""
        request = CompactionRequest(revision=revision, physical=True)
        with suppress(ResourceVersionTooOld):  # somebody has compacted that far already
            await self._client.call(COMPACT, request, within=_COMPACTION_LIMIT)
        self._learn_of_compaction(revision)

    async def advance_revision(self, to: int) -> int:
        """etcd has no way to set its revision, so the numbers are used up, by writes outside of everybody's range."""
        while (revision := await self.current_revision()) < to:
            await self._use_up(min(to - revision, _WRITES_AT_ONCE))
        return revision

    def registration(self, prefix: str, identity: str) -> Registration:
        """For a server on a prefix of a cluster that others use too."""
        return Registration(self._client, prefix, identity)

    async def identity(self) -> str:
        response = await self._client.call(STATUS, StatusRequest())
        return f"{response.header.cluster_id:x}"

    async def status(self) -> BackendStatus:
        response = await self._client.call(STATUS, StatusRequest())
        return BackendStatus(
            version=response.version,
            size_bytes=response.dbSize,
            revision=response.header.revision,
            alarms=tuple(self._sentence(error) for error in response.errors),
            in_use_bytes=response.dbSizeInUse,
            is_full=any("NOSPACE" in error for error in response.errors),
        )

    async def defragment(self) -> None:
        """Give back what the member that we talk to no longer uses. It answers nothing else while it is at it."""
        await self._client.call(DEFRAGMENT, DefragmentRequest(), within=_DEFRAGMENTATION_LIMIT)

    async def disarm(self) -> int:
        """Let the cluster take writes again after it was full; returns how many members had set the alarm. Other
        alarms stay: they are no matter of space."""
        armed = await self._client.call(ALARM, AlarmRequest(action=ALARM_GET))
        full = [alarm for alarm in armed.alarms if alarm.alarm == ALARM_NOSPACE]
        for alarm in full:
            request = AlarmRequest(action=ALARM_DEACTIVATE, memberID=alarm.memberID, alarm=alarm.alarm)
            await self._client.call(ALARM, request)
        return len(full)

    async def fence(self) -> bool:
        """Whether no create that was sent before this call will take effect after it; raises StorageError."""
        return await self._fence.move()

    def observe_calls(self, observer: Callable[[str, float], None]) -> None:
        """Tell somebody the name and the seconds of every call from now on."""
        self._client.on_call = observer

    def observe_discontinuities(self, observer: Callable[[str], None]) -> None:
        """Tell somebody, in a sentence, when etcd turns out to be another store than it was, and go on with what it
        is. Until somebody wants to hear it, no answer of such a store is believed."""

        def observe(why: str) -> None:
            observer(why)
            self._compacted = 0

        self._client.on_discontinuity = observe

    async def close(self) -> None:
        await self._client.close()

    async def _range(self, request: Any) -> Any:
        try:
            return await self._client.call(RANGE, request)
        except ResourceVersionTooOld:
            self._learn_of_compaction(request.revision + 1)
            raise

    def _learn_of_compaction(self, revision: int) -> None:
        self._compacted = max(self._compacted, revision)

    async def _use_up(self, revisions: int) -> None:
        write = TxnRequest()
        write.success.add().request_put.key = _SPARE_KEY
        try:
            async with asyncio.TaskGroup() as writes:
                for _ in range(revisions):
                    writes.create_task(self._client.call(TXN, write))
        except* StorageError as failures:
            failed = failures
        else:
            return
        raise failed.exceptions[0]

    async def _page(self, start: str, end: str, limit: int, revision: int) -> Page:
        request = RangeRequest(key=_raw(start), range_end=_raw(end), limit=limit, revision=revision)
        response = await self._range(request)
        return Page([key_value(kv) for kv in response.kvs], response.count, response.header.revision)

    async def _rest(self, page: Page, end: str, revision: int) -> Page:
        """The whole range, given its first page; `count` and `revision` stay those of the first answer."""
        while len(page.kvs) < page.count:
            following = await self._page(page.kvs[-1].key + "\0", end, self._page_size, revision)
            page.kvs += following.kvs
            if not following.kvs:
                break
        return page

    async def _put_for(self, ttl: timedelta, key: str, value: bytes, expected: int) -> int:
        lease = await self._leases.lease_for(ttl)
        try:
            return await self._put(key, value, expected, lease)
        except LeaseNotFound:
            self._leases.forget(lease)
            return await self._put(key, value, expected, await self._leases.lease_for(ttl))

    async def _revision_of_write(self, key: str, value: bytes, expected: int) -> int:
        """Of a write that was answered with "no space"; 0 if it did not happen. etcd says so too of the write that
        reaches the quota, which it has done by then (etcdserver/apply.go, quotaApplierV3)."""
        try:
            there = (await self.get(key)).kv
        except Unavailable as error:
            raise Unavailable(str(error), may_have_happened=True) from error
        if there is None or there.revision == expected or there.value != value:
            return 0
        return there.revision

    def _sentence(self, error: str) -> str:
        if "NOSPACE" in error:
            return f"etcd's database is full (NOSPACE): {self._what_to_do()}"
        return next((sentence for word, sentence in _ALARMS.items() if word in error), f"etcd reports: {error}")

    def _what_to_do(self) -> str:
        """About an etcd that is full. One of our own has somebody who sees to it (`space`)."""
        if self._exclusive:
            return "its history is compacted and its file defragmented as soon as possible"
        return repair_advice(self._client.urls)

    async def _put(self, key: str, value: bytes, expected: int, lease: int) -> int:
        transaction = _if_unchanged(key, expected)
        put = transaction.success.add().request_put
        put.key, put.value, put.lease = _raw(key), value, lease
        call = self._client.call(TXN, transaction) if expected else self._fence.create(transaction)
        response = await call
        if not response.succeeded:
            raise CompareFailed(key, _current(response))
        revision: int = response.header.revision
        return revision


def _if_unchanged(key: str, expected: int) -> Any:
    """A transaction without its success part: otherwise it reads what is there.

    Built in place: handing finished parts to the constructor would copy each of them, the value too.
    """
    transaction = TxnRequest()
    raw = _raw(key)
    transaction.compare.add(result=COMPARE_EQUAL, target=COMPARE_MOD, key=raw, mod_revision=expected)
    transaction.failure.add().request_range.key = raw
    return transaction


def _raw(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")


def _current(response: Any) -> KeyValue | None:
    found = response.responses[0].response_range.kvs
    return key_value(found[0]) if found else None
