"""Which servers run on a prefix of an etcd cluster: a key for each, under a lease.

Servers on one prefix have to agree on some of their options, so one that starts looks who is there. The lease lives as
long as it is kept alive, so what a killed server has said ends by itself; the same server, started again, need not wait
for that: it knows itself by an identity that is kept beside its keys, where only one process can be. Keeping a lease
alive writes nothing.

A server that could not keep its lease alive, because it or etcd stood still for too long, registers again. If another
process has its identity by then, the server must end.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from localplane.apiserver.storage.backend import prefix_end
from localplane.apiserver.storage.errors import NoSpace, StorageError, Unavailable

from .client.messages import (
    COMPARE_EQUAL,
    COMPARE_MOD,
    LeaseGrantRequest,
    LeaseKeepAliveRequest,
    LeaseRevokeRequest,
    RangeRequest,
    TxnRequest,
)
from .client.methods import LEASE_GRANT, LEASE_KEEP_ALIVE, LEASE_REVOKE, RANGE, TXN
from .space import repair_advice

if TYPE_CHECKING:
    from .client.client import EtcdClient

_log = logging.getLogger(__name__)

_SERVERS: Final = ".localplane/servers/"
LIVES: Final = timedelta(seconds=10)
_BEATS: Final = 5
_GOODBYE: Final = timedelta(seconds=2)


class ServerReplaced(StorageError):
    """One sentence: who is there in this server's place."""

    def __init__(self, holder: str) -> None:
        super().__init__(
            f"another process has taken this server's place ({holder}): two can't have one data directory, or copies "
            "of one"
        )


@dataclass(frozen=True, slots=True)
class RegisteredServer:
    """What a server says of itself. `since` is a time in RFC 3339, by its own clock."""

    identity: str
    host: str
    pid: str
    since: str

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


@dataclass(frozen=True, slots=True)
class _Found:
    """What stands under the key, and since which revision."""

    said: dict[str, Any]
    revision: int
    lease: int

    @property
    def holder(self) -> str:
        return f"process {self.said.get('pid')} on {self.said.get('host')}, since {self.said.get('since')}"

    @property
    def server(self) -> RegisteredServer:
        return RegisteredServer(*(str(self.said.get(name, "")) for name in ("identity", "host", "pid", "since")))


class Registration:
    """`identity` is this server's from start to start. `lives` is how long it lasts if nobody renews it."""

    def __init__(self, client: EtcdClient, prefix: str, identity: str, *, lives: timedelta = LIVES) -> None:
        self._client = client
        self._prefix = prefix
        self._identity = identity
        self._lives = lives
        self._instance = secrets.token_hex(8)
        self._lease = 0

    async def take(self) -> None:
        """In the place of an earlier process of this server. Raises StorageErrors if etcd can't be asked."""
        while True:
            found = await self._found()
            lease = await self._new_lease()
            if await self._write(lease, expected=found.revision if found else 0):
                self._lease = lease
                if found is not None and found.lease:
                    await self._revoke(found.lease)  # whoever may still live by it shall notice
                return
            await self._revoke(lease)

    async def others(self) -> list[RegisteredServer]:
        """Those that run beside this one, in the order of their identities."""
        start = self._prefix + _SERVERS
        request = RangeRequest(key=start.encode(), range_end=prefix_end(start).encode())
        found = [_found_in(kv) for kv in (await self._client.call(RANGE, request)).kvs]
        return [each.server for each in found if each.server.identity not in ("", self._identity)]

    async def keep(self) -> None:
        """Until it is cancelled. Raises ServerReplaced when another process is there in our place."""
        trouble = ""
        while True:
            await asyncio.sleep(self._lives.total_seconds() / _BEATS)
            try:
                async with asyncio.timeout(self._lives.total_seconds()):
                    if not await self._beat():
                        await self._take_again()
            except ServerReplaced:
                raise
            except (StorageError, TimeoutError) as error:
                if not trouble:
                    _log.warning(
                        "our place among the servers of %s can't be renewed: %s", self._prefix, error or "no answer"
                    )
                trouble = "since then"
            else:
                if trouble:
                    _log.info("our place among the servers of %s is renewed again", self._prefix)
                trouble = ""

    async def release(self) -> None:
        """Nobody need wait for it. What can't be told to etcd now, the end of the lease tells it."""
        try:
            async with asyncio.timeout(_GOODBYE.total_seconds()):
                await self._revoke(self._lease)
        except TimeoutError:
            _log.info("our place among the servers of %s ends by itself", self._prefix)

    async def _new_lease(self) -> int:
        """A full etcd grants none; this is then the first that a server hears of it."""
        try:
            granted = await self._client.call(LEASE_GRANT, LeaseGrantRequest(TTL=int(self._lives.total_seconds())))
        except NoSpace as error:
            raise NoSpace(f"{error}: {repair_advice(self._client.urls)}") from error
        lease: int = granted.ID
        return lease

    async def _take_again(self) -> None:
        """The lease is over. What another process wrote counts, even with our identity: there is only one of us."""
        found = await self._found()
        if found is not None and found.said.get("instance") != self._instance:
            raise ServerReplaced(found.holder)
        _log.warning("our place among the servers of %s had ended and is taken again", self._prefix)
        await self.take()

    async def _beat(self) -> bool:
        """Whether the lease lives."""
        stream = await self._client.open(LEASE_KEEP_ALIVE)
        try:
            stream.send(LeaseKeepAliveRequest(ID=self._lease))
            answer = await stream.receive()
        finally:
            stream.close()
        return bool(answer.TTL > 0)

    async def _found(self) -> _Found | None:
        answer = await self._client.call(RANGE, RangeRequest(key=self._key))
        return _found_in(answer.kvs[0]) if answer.kvs else None

    async def _write(self, lease: int, *, expected: int) -> bool:
        """Whether it is ours now."""
        said = {
            "identity": self._identity,
            "instance": self._instance,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "since": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        }
        write = TxnRequest()
        write.compare.add(result=COMPARE_EQUAL, target=COMPARE_MOD, key=self._key, mod_revision=expected)
        put = write.success.add().request_put
        put.key, put.value, put.lease = self._key, json.dumps(said).encode(), lease
        try:
            return bool((await self._client.call(TXN, write)).succeeded)
        except Unavailable as error:
            if not error.may_have_happened:
                raise
        found = await self._found()  # nobody knows whether it was written: the store does
        return found is not None and found.said.get("instance") == self._instance and found.lease == lease

    async def _revoke(self, lease: int) -> None:
        try:
            await self._client.call(LEASE_REVOKE, LeaseRevokeRequest(ID=lease))
        except StorageError as error:
            _log.debug("a lease ends by itself: %s", error)

    @property
    def _key(self) -> bytes:
        return f"{self._prefix}{_SERVERS}{self._identity}".encode()


def _found_in(kv: Any) -> _Found:
    try:
        said = json.loads(kv.value)
    except ValueError:
        said = None
    return _Found(said if isinstance(said, dict) else {}, kv.mod_revision, kv.lease)
