"""Leases for keys that are to vanish by themselves, each shared by many keys.

A lease costs etcd a write and a place in its heap, so a new one per key would double the price of every event object.
Like Kubernetes (apiserver/pkg/storage/etcd3/lease_manager.go) one lease serves up to 1000 keys, and is granted a
little longer than asked so that later keys with the same ttl fit in: 5 % of the ttl, at most 60 s.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from localplane.apiserver.storage.errors import Unavailable

from .client.messages import LeaseGrantRequest
from .client.methods import LEASE_GRANT

if TYPE_CHECKING:
    from collections.abc import Callable

    from .client.client import EtcdClient

_KEYS_PER_LEASE = 1000
_LONGEST_SLACK = timedelta(seconds=60)
_SLACK_SHARE = 0.05


@dataclass(slots=True)
class _Lease:
    id: int
    expires: float  # on our clock, and rather too early than too late
    keys: int = 0


class Leases:
    """Hands out lease ids. `clock` is monotonic, in seconds."""

    def __init__(self, client: EtcdClient, *, clock: Callable[[], float]) -> None:
        self._client = client
        self._clock = clock
        self._leases: dict[timedelta, _Lease] = {}
        self._granting = asyncio.Lock()

    async def lease_for(self, ttl: timedelta) -> int:
        """A lease that lives at least `ttl` from now, and hardly longer; raises Unavailable."""
        lease = self._fitting(ttl)
        if lease is None:
            async with self._granting:
                lease = self._fitting(ttl)  # whoever held the lock may have granted it
                if lease is None:
                    lease = await self._grant(ttl)
        lease.keys += 1
        return lease.id

    def forget(self, lease_id: int) -> None:
        """etcd says that this lease is gone."""
        self._leases = {ttl: lease for ttl, lease in self._leases.items() if lease.id != lease_id}

    def _fitting(self, ttl: timedelta) -> _Lease | None:
        lease = self._leases.get(ttl)
        if lease is None or lease.keys >= _KEYS_PER_LEASE:
            return None
        return lease if self._clock() + ttl.total_seconds() <= lease.expires else None

    async def _grant(self, ttl: timedelta) -> _Lease:
        slack = min(_LONGEST_SLACK, ttl * _SLACK_SHARE)
        seconds = max(1, math.ceil(ttl.total_seconds()) + int(slack.total_seconds()))
        before = self._clock()
        try:
            response = await self._client.call(LEASE_GRANT, LeaseGrantRequest(TTL=seconds))
        except Unavailable as error:
            # There may be a lease that nobody uses. The key that it was meant for was certainly not written.
            raise Unavailable(str(error)) from error
        lease = _Lease(response.ID, before + response.TTL)
        self._leases = {each: old for each, old in self._leases.items() if old.expires > before}
        self._leases[ttl] = lease
        return lease
