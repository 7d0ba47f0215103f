"""A real etcd that asks for users."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient, EtcdUser, messages
from localplane.apiserver.storage.etcd.client.failures import PermissionDenied
from localplane.apiserver.storage.etcd.client.methods import Method
from tests.integration.etcd_client.server import QUICK_ELECTIONS, EtcdServer, answering


class Words:
    """A message of texts alone, for the administration that the client itself never needs."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts

    def SerializeToString(self) -> bytes:  # noqa: N802 - as protobuf calls it
        pairs = zip(range(1, len(self._texts) + 1), (text.encode() for text in self._texts), strict=True)
        return b"".join(bytes((number << 3 | 2, len(text))) + text for number, text in pairs)


class Grant(Words):
    """Reading and writing of the keys from `start` to `end`, for a role."""

    def __init__(self, role: str, start: bytes, end: bytes) -> None:
        super().__init__(role)
        self._range = b"\x08\x02" + b"".join(
            bytes((number << 3 | 2, len(text))) + text for number, text in ((2, start), (3, end))
        )

    def SerializeToString(self) -> bytes:  # noqa: N802 - as above
        return super().SerializeToString() + bytes((2 << 3 | 2, len(self._range))) + self._range


def administration(name: str) -> Method:
    return Method(f"/etcdserverpb.Auth/{name}", messages.CompactionResponse, mutates=True)


def client_of(server: EtcdServer, user: EtcdUser | None) -> EtcdClient:
    return EtcdClient([server.listen], user=user, timeout=timedelta(seconds=5))


@pytest.fixture
async def guarded_etcd() -> AsyncIterator[EtcdServer]:
    with tempfile.TemporaryDirectory(prefix="etcd-") as directory:
        options = (*QUICK_ELECTIONS, "--auth-token-ttl=1")
        server = EtcdServer(Path(directory), f"unix://{directory}/etcd.sock", options)
        server.start()
        client = client_of(server, None)
        try:
            await answering(EtcdBackend(client, exclusive=False))
            for method, words in (
                ("UserAdd", Words("root", "secret")),
                ("RoleAdd", Words("root")),
                ("UserGrantRole", Words("root", "root")),
                ("AuthEnable", Words()),
            ):
                await client.call(administration(method), words)
            yield server
        finally:
            await client.close()
            server.kill()


async def test_with_a_name_and_a_password_everything_goes(guarded_etcd: EtcdServer) -> None:
    client = client_of(guarded_etcd, EtcdUser("root", lambda: "secret"))
    backend = EtcdBackend(client, exclusive=False)
    revision = await backend.put("/a", b"1", expected=0, ttl=timedelta(hours=1))
    watch = backend.watch("/a", "/b", after=revision - 1)
    assert (await anext(watch)).changes[0].value == b"1"
    await watch.close()
    assert (await backend.get("/a")).kv is not None
    await backend.delete("/a", expected=revision)
    await client.close()


@pytest.mark.parametrize("user", [None, EtcdUser("root", lambda: "guess"), EtcdUser("nobody", lambda: "secret")])
async def test_without_them_nothing_does(guarded_etcd: EtcdServer, user: EtcdUser | None) -> None:
    client = client_of(guarded_etcd, user)
    with pytest.raises(Unavailable, match=r"user name is empty|invalid user ID or password") as raised:
        await EtcdBackend(client, exclusive=False).put("/a", b"1", expected=0)
    assert not raised.value.may_have_happened
    await client.close()


async def test_a_token_that_etcd_no_longer_knows_costs_no_error(guarded_etcd: EtcdServer) -> None:
    """It keeps simple tokens in its memory, and so forgets them when it is started again."""
    client = client_of(guarded_etcd, EtcdUser("root", lambda: "secret"))
    backend = EtcdBackend(client, exclusive=False)
    revision = await backend.put("/a", b"1", expected=0)
    guarded_etcd.kill()
    guarded_etcd.start()
    await answering(backend)
    await backend.put("/a", b"2", expected=revision)
    await client.close()


async def test_who_may_not_use_a_fence_does_without(guarded_etcd: EtcdServer) -> None:
    """A user may be limited to some keys: creates are done, and one that got lost stays in doubt."""
    root = client_of(guarded_etcd, EtcdUser("root", lambda: "secret"))
    await root.call(administration("UserAdd"), Words("limited", "secret"))
    await root.call(administration("RoleAdd"), Words("some"))
    await root.call(administration("UserGrantRole"), Words("limited", "some"))
    await root.call(administration("RoleGrantPermission"), Grant("some", b"/a", b"/b"))
    await root.close()
    client = client_of(guarded_etcd, EtcdUser("limited", lambda: "secret"))
    backend = EtcdBackend(client, exclusive=False)
    await backend.put("/a", b"1", expected=0)
    await backend.put("/a2", b"1", expected=0)
    assert not await backend.fence()
    with pytest.raises(PermissionDenied) as raised:
        await backend.put("/c", b"1", expected=0)
    assert not raised.value.may_have_happened
    await client.close()
