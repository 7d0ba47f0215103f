"""Putting other content in the place of a whole range.

What fits into one transaction is one. etcd takes 128 operations and a megabyte and a half in one, so anything larger is
written down first, in parts that are a transaction each, below a key of our own; then one write says that it is to
be done: the record. From then on it will be, if not by this process then by the next that opens this range. Each part's
transaction moves the record forward too, so that none is done twice: what others write meanwhile stays written.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import struct
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.storage.backend import Page, Wanted, prefix_end
from localplane.apiserver.storage.errors import StorageError, Unavailable

from .client.failures import LeaseNotFound
from .client.messages import COMPARE_EQUAL, COMPARE_MOD, DeleteRangeRequest, RangeRequest, TxnRequest
from .client.methods import RANGE, TXN

if TYPE_CHECKING:
    from .client.client import EtcdClient
    from .leases import Leases

_log = logging.getLogger(__name__)

_RECORD: Final = b"localplane/replacement"
_MOST_OPERATIONS: Final = 127  # of 128: the record is written too
_MOST_BYTES: Final = 1 << 20
_AT_ONCE: Final = 8
_HEAD: Final = struct.Struct(">III")  # lengths of key and value, and seconds to live
_DELETION: Final = 0xFFFFFFFF  # instead of a value's length
_ATTEMPTS: Final = 60
_PAUSE: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Operation:
    """A put, or with `value` None a delete."""

    key: bytes
    value: bytes | None
    seconds: int = 0

    @property
    def size(self) -> int:
        return _HEAD.size + len(self.key) + len(self.value or b"")


@dataclass(frozen=True, slots=True)
class _Record:
    """How far the replacement `name` has come, as of a revision."""

    name: str
    parts: int
    done: int
    revision: int


class Replacement:
    """Of one range. `read_range` reads all of it."""

    def __init__(
        self,
        client: EtcdClient,
        leases: Leases,
        start: str,
        end: str,
        read_range: Callable[[str, str], Awaitable[Page]],
    ) -> None:
        self._client = client
        self._leases = leases
        self._start = start
        self._end = end
        self._read_range = read_range
        self._record_key = _RECORD + start.encode()
        self._reached = 0

    async def run(self, wanted: Sequence[Wanted]) -> int:
        """Returns the revision afterwards. Raises StorageError: then nothing has happened, unless it says otherwise."""
        await self.finish()
        page = await self._read_range(self._start, self._end)
        parts = list(_parts(await _operations(page, wanted)))
        if not parts:
            return page.revision
        if len(parts) == 1:
            return await self._transact(parts[0], None)
        name = secrets.token_hex(8)
        await self._stage(name, parts)
        record = await self._begin(name, len(parts))
        return await self._carry_out(record, dict(enumerate(parts)))

    async def finish(self) -> None:
        """Carry out what a process that was killed has begun, and take away what it had not begun yet."""
        record = await self._record()
        if record is not None:
            _log.warning("a replacement of everything below %s was interrupted and is finished", self._start)
            await self._carry_out(record, {})
            return
        answer = await self._client.call(RANGE, RangeRequest(key=self._below, range_end=self._end_below, limit=1))
        if answer.kvs:
            await self._tidy_up()

    async def _stage(self, name: str, parts: list[list[_Operation]]) -> None:
        waiting = iter(enumerate(parts))

        async def write() -> None:
            for number, part in waiting:
                transaction = TxnRequest()
                put = transaction.success.add().request_put
                put.key, put.value = self._part_key(name, number), _encoded(part)
                await self._client.call(TXN, transaction)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(_AT_ONCE, len(parts))):
                    group.create_task(write())
        except* StorageError as failures:
            failed = failures
        else:
            return
        raise failed.exceptions[0]

    async def _begin(self, name: str, parts: int) -> _Record:
        """From here on it will be done."""
        transaction = self._if_record(0)
        put = transaction.success.add().request_put
        put.key, put.value = self._record_key, json.dumps({"name": name, "parts": parts, "done": 0}).encode()
        try:
            answer = await self._client.call(TXN, transaction)
        except Unavailable as error:
            if not error.may_have_happened:
                raise
            record = await self._record()
        else:
            record = _Record(name, parts, 0, answer.header.revision) if answer.succeeded else await self._record()
        if record is None or record.name != name:
            raise Unavailable("somebody else replaces the same objects at this moment: try again")
        return record

    async def _carry_out(self, record: _Record, parts: dict[int, list[_Operation]]) -> int:
        """Until the record is gone, whoever has done the last part. Returns the revision of the last that we have."""
        name, revision = record.name, record.revision
        current: _Record | None = record
        while current is not None and current.name == name:
            revision = current.revision
            current = await self._persist(current, parts)
        await self._tidy_up()
        return max(revision, self._reached)

    async def _persist(self, record: _Record, parts: dict[int, list[_Operation]]) -> _Record | None:
        """The record after the next part; None if that was the last. A store that is away for a while is waited for."""
        for _ in range(_ATTEMPTS):
            try:
                part = parts.get(record.done) or await self._read_part(record)
                revision = await self._transact(part, record)
                if not revision:  # the answer to our own write was lost, or another process is at it
                    return await self._record()
            except Unavailable as error:
                _log.debug("a replacement waits for the store: %s", error)
                await asyncio.sleep(_PAUSE)
            else:
                self._reached = revision
                done = record.done + 1
                return _Record(record.name, record.parts, done, revision) if done < record.parts else None
        raise Unavailable(
            "the store does not answer any more: what was begun will be finished at the next start",
            may_have_happened=True,
        )

    async def _transact(self, part: list[_Operation], record: _Record | None) -> int:
        """The revision of it; 0 if the record is not where it was."""
        transaction = TxnRequest() if record is None else self._if_record(record.revision)
        for operation in part:
            if operation.value is None:
                transaction.success.add().request_delete_range.key = operation.key
                continue
            put = transaction.success.add().request_put
            put.key, put.value = operation.key, operation.value
            if operation.seconds:
                put.lease = await self._leases.lease_for(timedelta(seconds=operation.seconds))
        if record is not None:
            self._move(transaction, record)
        try:
            answer = await self._client.call(TXN, transaction)
        except LeaseNotFound as error:
            raise Unavailable(f"a lease had just ended: {error}") from error
        return int(answer.header.revision) if answer.succeeded else 0

    def _move(self, transaction: Any, record: _Record) -> None:
        if record.done + 1 == record.parts:
            transaction.success.add().request_delete_range.key = self._record_key
            return
        put = transaction.success.add().request_put
        said = {"name": record.name, "parts": record.parts, "done": record.done + 1}
        put.key, put.value = self._record_key, json.dumps(said).encode()

    def _if_record(self, revision: int) -> Any:
        transaction = TxnRequest()
        transaction.compare.add(result=COMPARE_EQUAL, target=COMPARE_MOD, key=self._record_key, mod_revision=revision)
        return transaction

    async def _record(self) -> _Record | None:
        answer = await self._client.call(RANGE, RangeRequest(key=self._record_key))
        if not answer.kvs:
            return None
        said = json.loads(answer.kvs[0].value)
        return _Record(said["name"], said["parts"], said["done"], answer.kvs[0].mod_revision)

    async def _read_part(self, record: _Record) -> list[_Operation]:
        answer = await self._client.call(RANGE, RangeRequest(key=self._part_key(record.name, record.done)))
        if not answer.kvs:
            raise Unavailable(f"part {record.done} of an interrupted replacement is gone")
        return list(_decoded(answer.kvs[0].value))

    async def _tidy_up(self) -> None:
        transaction = TxnRequest()
        transaction.success.add().request_delete_range.CopyFrom(
            DeleteRangeRequest(key=self._below, range_end=self._end_below)
        )
        await self._client.call(TXN, transaction)

    def _part_key(self, name: str, number: int) -> bytes:
        return self._below + f"{name}/{number:06}".encode()

    @property
    def _below(self) -> bytes:
        return self._record_key + b"//"  # no range of ours begins so

    @property
    def _end_below(self) -> bytes:
        return prefix_end(self._below.decode()).encode()


async def _operations(page: Page, wanted: Sequence[Wanted]) -> list[_Operation]:
    """What makes the one the other."""
    there = {kv.key: kv.value for kv in page.kvs}
    operations: list[_Operation] = []
    slices = TimeSlices()
    for new in wanted:
        if there.pop(new.key, None) != new.value:
            seconds = max(1, int(new.ttl.total_seconds())) if new.ttl is not None else 0
            operations.append(_Operation(_raw(new.key), new.value, seconds))
        if slices.is_over:
            await slices.next()
    return operations + [_Operation(_raw(key), None) for key in there]


def _parts(operations: list[_Operation]) -> Iterator[list[_Operation]]:
    part: list[_Operation] = []
    size = 0
    for operation in operations:
        if part and (len(part) == _MOST_OPERATIONS or size + operation.size > _MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(operation)
        size += operation.size
    if part:
        yield part


def _encoded(part: list[_Operation]) -> bytes:
    pieces: list[bytes] = []
    for operation in part:
        length = _DELETION if operation.value is None else len(operation.value)
        pieces += (_HEAD.pack(len(operation.key), length, operation.seconds), operation.key, operation.value or b"")
    return b"".join(pieces)


def _decoded(data: bytes) -> Iterator[_Operation]:
    at = 0
    while at < len(data):
        key_length, length, seconds = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        key = data[at : at + key_length]
        at += key_length
        if length == _DELETION:
            yield _Operation(key, None)
            continue
        yield _Operation(key, data[at : at + length], seconds)
        at += length


def _raw(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")
