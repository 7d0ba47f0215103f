"""Calls that the tests make of a scripted peer, and the answers it gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from localplane.apiserver.storage.etcd.client import EtcdClient, KeepAliveTimes, messages
from localplane.apiserver.storage.etcd.client.methods import RANGE, TXN
from tests.unit.etcd.peer import FakePeer

LONG = timedelta(seconds=30)
SOON = timedelta(seconds=3)


@asynccontextmanager
async def client_of(
    *peers: FakePeer, patience: timedelta = LONG, connect_timeout: timedelta = LONG
) -> AsyncIterator[EtcdClient]:
    client = EtcdClient(
        [peer.url for peer in peers],
        timeout=patience,
        connect_timeout=connect_timeout,
        keep_alive=KeepAliveTimes(interval=LONG, patience=LONG),
    )
    try:
        yield client
    finally:
        await client.close()


def read(client: EtcdClient, key: bytes = b"a") -> asyncio.Task[Any]:
    """Start a read; a test that scripts the peer has to do both at once."""
    return asyncio.create_task(client.call(RANGE, messages.RangeRequest(key=key)))


def write(client: EtcdClient, value: bytes = b"v") -> asyncio.Task[Any]:
    request = messages.TxnRequest()
    put = request.success.add().request_put
    put.key, put.value = b"a", value
    return asyncio.create_task(client.call(TXN, request))


def range_response(revision: int = 1, value: bytes = b"") -> bytes:
    response = messages.RangeResponse()
    response.header.revision = revision
    if value:
        response.kvs.add(key=b"a", value=value, mod_revision=revision)
    encoded: bytes = response.SerializeToString()
    return encoded


def txn_response(revision: int = 1) -> bytes:
    response = messages.TxnResponse(succeeded=True)
    response.header.revision = revision
    encoded: bytes = response.SerializeToString()
    return encoded
