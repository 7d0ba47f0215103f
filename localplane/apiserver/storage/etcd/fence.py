"""A fence against creates that come late.

A create whose answer was lost may still be on its way, in a buffer or in the log of a member that has no leader, and is
done as soon as it gets there. So every create also compares the revision of a key of our own, and whoever must know
what became of one moves the fence first: it writes that key. Every create from before is refused from then on, so what
is not there now will never be. Creates that are in no doubt are refused too, and sent again with the fence where it is.

Updates and deletes need none: they compare a revision that only one of them can replace.
"""

from __future__ import annotations

import asyncio
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from localplane.apiserver.storage.errors import Unavailable

from .client.failures import LeaseNotFound, PermissionDenied
from .client.messages import COMPARE_EQUAL, COMPARE_MOD, RangeRequest, TxnRequest
from .client.methods import RANGE, TXN

if TYPE_CHECKING:
    from .client.client import EtcdClient
    from .leases import Leases

_PREFIX = b"localplane/fence/"
_KEPT = timedelta(days=1)  # after which the key is gone, and whatever was on its way with it
_ATTEMPTS = 10


class Fence:
    """One for each client. It stands at revision 0, where its key does not exist, until it is first moved."""

    def __init__(self, client: EtcdClient, leases: Leases) -> None:
        self._client = client
        self._leases = leases
        self._key = _PREFIX + secrets.token_hex(8).encode()
        self._revision = 0
        self._is_allowed = True
        self._moving = asyncio.Lock()
        self._begun = 0
        self._done = 0

    async def create(self, transaction: Any) -> Any:
        """The answer to a transaction that compares one key with nothing, and reads it if there is something."""
        for attempt in range(_ATTEMPTS):
            if attempt:
                del transaction.compare[1:]
            if self._is_allowed:
                self._compare(transaction, self._revision)
            try:
                response = await self._client.call(TXN, transaction)
            except PermissionDenied:
                if not self._is_allowed:
                    raise
                self._is_allowed = False  # users may be limited to some keys, and ours is not among them
                continue
            if response.succeeded or response.responses[0].response_range.kvs:
                return response
            self._revision = await self._stored_revision()
        raise Unavailable("the fence of this server's creates was moved again and again")

    async def move(self) -> bool:
        """Whether nothing that was sent before this call will take effect after it. Those who come while it is moved
        share the next move. Raises StorageError."""
        known = self._begun
        async with self._moving:
            if self._is_allowed and self._done <= known:
                self._begun += 1
                await self._move()
                self._done = self._begun
        return self._is_allowed

    async def _move(self) -> None:
        for _ in range(_ATTEMPTS):
            stands_at = await self._stored_revision()
            lease = await self._leases.lease_for(_KEPT)
            transaction = TxnRequest()
            self._compare(transaction, stands_at)
            put = transaction.success.add().request_put
            put.key, put.lease = self._key, lease
            try:
                response = await self._client.call(TXN, transaction)
            except LeaseNotFound:
                self._leases.forget(lease)
                continue
            if response.succeeded:
                self._revision = response.header.revision
                return
        raise Unavailable("the fence of this server's creates could not be moved")

    def _compare(self, transaction: Any, revision: int) -> None:
        transaction.compare.add(result=COMPARE_EQUAL, target=COMPARE_MOD, key=self._key, mod_revision=revision)

    async def _stored_revision(self) -> int:
        found = await self._client.call(RANGE, RangeRequest(key=self._key))
        return found.kvs[0].mod_revision if found.kvs else 0
