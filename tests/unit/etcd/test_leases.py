"""Keys share leases, and none outlives its ttl by much."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from localplane.apiserver.storage.errors import TimedOut, Unavailable
from localplane.apiserver.storage.etcd.client import EtcdClient, messages
from localplane.apiserver.storage.etcd.client.methods import LEASE_GRANT, Method
from localplane.apiserver.storage.etcd.leases import Leases

HOUR = timedelta(hours=1)


class Granting(EtcdClient):
    """Grants leases as etcd does, and remembers for how long."""

    def __init__(self) -> None:
        super().__init__(["unix:///nowhere"])
        self.granted: list[int] = []
        self.now = 0.0

    async def call(self, method: Method, request: Any, *, within: timedelta | None = None) -> Any:
        assert method is LEASE_GRANT
        await asyncio.sleep(0)
        self.granted.append(request.TTL)
        return messages.LeaseGrantResponse(ID=len(self.granted), TTL=request.TTL)

    def leases(self) -> Leases:
        return Leases(self, clock=lambda: self.now)


async def test_keys_whose_expiry_is_within_a_minute_share_a_lease() -> None:
    client = Granting()
    leases = client.leases()
    assert [await leases.lease_for(HOUR) for _ in range(5)] == [1] * 5
    client.now = 60
    assert await leases.lease_for(HOUR) == 1
    client.now = 60.1
    assert await leases.lease_for(HOUR) == 2
    assert client.granted == [3660, 3660]


async def test_a_short_ttl_is_stretched_by_a_twentieth_at_most() -> None:
    client = Granting()
    leases = client.leases()
    await leases.lease_for(timedelta(seconds=100))
    await leases.lease_for(timedelta(seconds=2))
    assert client.granted == [105, 2]


async def test_a_lease_serves_a_thousand_keys() -> None:
    client = Granting()
    leases = client.leases()
    ids = [await leases.lease_for(HOUR) for _ in range(2001)]
    assert [ids.count(lease) for lease in (1, 2, 3)] == [1000, 1000, 1]


async def test_keys_with_another_ttl_have_another_lease() -> None:
    leases = Granting().leases()
    assert await leases.lease_for(HOUR) == 1
    assert await leases.lease_for(2 * HOUR) == 2
    assert await leases.lease_for(HOUR) == 1


async def test_concurrent_keys_share_one_grant() -> None:
    client = Granting()
    leases = client.leases()
    assert await asyncio.gather(*(leases.lease_for(HOUR) for _ in range(50))) == [1] * 50
    assert len(client.granted) == 1


async def test_a_lease_that_is_gone_is_not_handed_out_again() -> None:
    leases = Granting().leases()
    leases.forget(await leases.lease_for(HOUR))
    assert await leases.lease_for(HOUR) == 2


async def test_expired_leases_are_not_remembered_for_ever() -> None:
    client = Granting()
    leases = client.leases()
    for seconds in range(10, 60):
        client.now += 1000
        await leases.lease_for(timedelta(seconds=seconds))
    assert len(leases._leases) == 1


async def test_a_lease_that_did_not_come_leaves_no_doubt_about_the_key() -> None:
    class Late(Granting):
        async def call(self, method: Method, request: Any, *, within: timedelta | None = None) -> Any:
            raise TimedOut("no answer in time")

    client = Late()
    with pytest.raises(Unavailable, match="no answer in time") as raised:
        await client.leases().lease_for(HOUR)
    assert not raised.value.may_have_happened
