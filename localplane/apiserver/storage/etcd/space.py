"""Room in etcd: what keeps its database away from its quota, and what makes room when it has come to that.

Once the file has reached the quota etcd sets an alarm and refuses every write, until somebody has compacted its
history, defragmented the file and disarmed the alarm. `SpaceKeeper` does so by itself on an etcd that nobody else uses,
and compacts early so that it need not; `reclaim` is for people too, who repair what others use.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from localplane.apiserver.storage.errors import StorageError

if TYPE_CHECKING:
    from localplane.apiserver.storage.backend import BackendStatus
    from localplane.apiserver.storage.compaction import Compactor

    from .backend import EtcdBackend

DEFAULT_QUOTA_BYTES = 8 << 30
"""What etcd's own documentation calls the largest that one should have."""

_LOOK_EVERY = timedelta(seconds=10)
_FIRST_DELAY = timedelta(seconds=1)
_LONGEST_DELAY = timedelta(minutes=5)
_NEARLY_ALL = 0.9

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reclaimed:
    """What one member's file was and is."""

    before_bytes: int
    after_bytes: int


def repair_advice(urls: Iterable[str]) -> str:
    """What to do about a full cluster, which others may use as well."""
    return f"run `kctl etcd repair --etcd-servers {','.join(urls)}`, or give it a larger quota"


async def reclaim(member: EtcdBackend) -> Reclaimed:
    """Defragment a member whose history was compacted. It answers nothing else meanwhile."""
    before = (await member.status()).size_bytes
    await member.defragment()
    return Reclaimed(before, (await member.status()).size_bytes)


class SpaceKeeper:
    """Of an etcd that is ours alone. `trouble` says what is being done about a full one; empty when nothing is."""

    def __init__(self, backend: EtcdBackend, compactor: Compactor, *, quota_bytes: int) -> None:
        self._backend = backend
        self._compactor = compactor
        self._quota = quota_bytes
        self._early_above = quota_bytes // 2
        self._delay = _FIRST_DELAY
        self._repaired_at = float("-inf")
        self.trouble = ""

    async def run(self) -> None:
        """Until it is cancelled: now and then, and at once when a write finds no room."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY.total_seconds()):
                    await self._backend.no_space.wait()
            await asyncio.sleep(self._pause())
            self._backend.no_space.clear()
            try:
                await self.look()
            except StorageError as error:
                _log.warning("nobody can tell how much room etcd has: %s", error)

    async def look(self) -> None:
        """Make room if there is none, or soon will be none."""
        status = await self._backend.status()
        if status.is_full:
            await self._repair(status)
        elif status.in_use_bytes > self._early_above:
            await self._compact_early(status)

    async def _repair(self, before: BackendStatus) -> None:
        self.trouble = "etcd's database is full: its history is being compacted, and its file defragmented"
        _log.error("%s", self.trouble)
        try:
            self._back_off()
            await self._compactor.compact_now()
            await reclaim(self._backend)
            await self._backend.disarm()
        finally:
            self.trouble = ""
        after = await self._backend.status()
        if after.size_bytes < self._quota // 2:
            self._delay = _FIRST_DELAY  # it was worth it
        self._early_above = (after.in_use_bytes + self._quota) // 2
        sizes = _size(before.size_bytes), _size(after.size_bytes), _size(self._quota)
        if after.size_bytes < self._quota * _NEARLY_ALL:
            _log.warning("etcd's database has room again: its file had %s and now has %s of %s", *sizes)
        else:
            _log.error(
                "etcd's database had %s, and what is stored needs %s of %s: "
                "start with a larger --etcd-quota-backend-bytes, or delete something",
                *sizes,
            )

    async def _compact_early(self, status: BackendStatus) -> None:
        """The next time only when half of what is then left is used up: data that is simply large stays as it is."""
        revision = await self._compactor.compact_now()
        after = await self._backend.status()
        self._early_above = (after.in_use_bytes + self._quota) // 2
        _log.warning(
            "etcd uses %s of %s: history before revision %d was compacted early, and it uses %s",
            *(_size(status.in_use_bytes), _size(self._quota), revision, _size(after.in_use_bytes)),
        )

    def _pause(self) -> float:
        """How long to wait until the next repair may begin: each blocks the store."""
        return max(0.0, self._repaired_at + self._delay.total_seconds() - asyncio.get_running_loop().time())

    def _back_off(self) -> None:
        """Longer and longer while repairs are in vain."""
        self._delay = min(self._delay * 2, _LONGEST_DELAY)
        self._repaired_at = asyncio.get_running_loop().time()


def _size(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 20):.1f} MiB"
