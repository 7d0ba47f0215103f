"""Members over TCP: with certificates on both sides, and three of them of which one dies."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient, EtcdTLSFiles
from tests.integration.etcd_client.server import QUICK_ELECTIONS, EtcdServer, answering, free_port


@asynccontextmanager
async def backend_of(*servers: EtcdServer, tls: EtcdTLSFiles | None = None) -> AsyncIterator[EtcdBackend]:
    client = EtcdClient([server.listen for server in servers], tls=tls, timeout=timedelta(seconds=3))
    try:
        yield EtcdBackend(client, exclusive=False)
    finally:
        await client.close()


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ca.crt, and server and client certificates signed with it; stranger.crt is signed by itself."""
    openssl = shutil.which("openssl")
    assert openssl, "these tests make certificates with the openssl command, and it is not installed"
    directory = tmp_path_factory.mktemp("certificates")

    def make(name: str, *options: str) -> None:
        new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key")
        command = [openssl, "req", "-x509", "-days", "2", *new_key, "-subj", f"/CN={name}", "-out", f"{name}.crt"]
        subprocess.run([*command, *options], cwd=directory, check=True, capture_output=True)

    signed = ("-CA", "ca.crt", "-CAkey", "ca.key", "-addext", "basicConstraints=critical,CA:FALSE")
    make("ca", "-addext", "keyUsage=critical,keyCertSign")
    make("server", *signed, "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "extendedKeyUsage=serverAuth")
    make("client", *signed, "-addext", "extendedKeyUsage=clientAuth")
    make("stranger", "-addext", "extendedKeyUsage=clientAuth")
    return directory


@pytest.fixture(scope="module")
def secure_etcd(certificates: Path) -> Iterator[EtcdServer]:
    with tempfile.TemporaryDirectory(prefix="etcd-") as directory:
        files = (
            f"--cert-file={certificates / 'server.crt'}",
            f"--key-file={certificates / 'server.key'}",
            f"--trusted-ca-file={certificates / 'ca.crt'}",
            "--client-cert-auth",
        )
        server = EtcdServer(Path(directory), f"https://127.0.0.1:{free_port()}", (*QUICK_ELECTIONS, *files))
        server.start()
        try:
            yield server
        finally:
            server.kill()


def tls_files(directory: Path, name: str, ca: str = "ca.crt") -> EtcdTLSFiles:
    return EtcdTLSFiles(directory / ca, directory / f"{name}.crt", directory / f"{name}.key")


async def test_mutual_tls(secure_etcd: EtcdServer, certificates: Path) -> None:
    async with backend_of(secure_etcd, tls=tls_files(certificates, "client")) as backend:
        await answering(backend)
        now = await backend.current_revision()
        watch = backend.watch("/a", "/b", after=now)
        value = bytes(range(256)) * 5600
        revision = await backend.put("/a", value, expected=0)

        assert (await anext(watch)).changes[0].value == value
        found = await backend.get("/a")
        assert found.kv is not None
        assert found.kv.value == value
        await watch.close()
        await backend.delete("/a", expected=revision)


async def test_a_client_without_a_certificate_gets_nothing(secure_etcd: EtcdServer, certificates: Path) -> None:
    async with backend_of(secure_etcd, tls=tls_files(certificates, "client")) as backend:
        await answering(backend)
    for files in (EtcdTLSFiles(certificates / "ca.crt"), tls_files(certificates, "stranger")):
        async with backend_of(secure_etcd, tls=files) as backend:
            with pytest.raises(Unavailable) as raised:
                await backend.put("/a", b"", expected=0)
            assert not raised.value.may_have_happened


async def test_a_server_that_we_have_no_reason_to_trust_gets_nothing(
    secure_etcd: EtcdServer, certificates: Path
) -> None:
    async with backend_of(secure_etcd, tls=tls_files(certificates, "client")) as backend:
        await answering(backend)
    async with backend_of(secure_etcd, tls=tls_files(certificates, "client", ca="stranger.crt")) as backend:
        with pytest.raises(Unavailable, match="x509: certificate signed by unknown authority"):
            await backend.current_revision()


async def test_renewed_certificates_are_used_for_the_next_connection(
    secure_etcd: EtcdServer, certificates: Path, tmp_path: Path
) -> None:
    ours = tls_files(tmp_path, "client")
    for name, file in (("ca.crt", "stranger.crt"), ("client.crt", "stranger.crt"), ("client.key", "stranger.key")):
        shutil.copy(certificates / file, tmp_path / name)
    async with backend_of(secure_etcd, tls=ours) as backend:
        with pytest.raises(Unavailable, match="certificate signed by unknown authority"):
            await backend.current_revision()
        shutil.copy(certificates / "ca.crt", tmp_path / "ca.crt")
        shutil.copy(certificates / "client.crt", tmp_path / "client.crt")
        with pytest.raises(Unavailable):  # the key does not fit yet, and what fitted is used
            await backend.current_revision()
        shutil.copy(certificates / "client.key", tmp_path / "client.key")
        await answering(backend)
        await backend.delete("/renewed", expected=await backend.put("/renewed", b"", expected=0))


async def test_a_tls_server_that_does_not_speak_http2_is_no_etcd(certificates: Path) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates / "server.crt", certificates / "server.key")
    port = free_port()
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", port, ssl=context):
        client = EtcdClient([f"https://127.0.0.1:{port}"], tls=tls_files(certificates, "client"))
        with pytest.raises(Unavailable, match="does not offer HTTP/2"):
            await EtcdBackend(client, exclusive=False).current_revision()
        await client.close()


@pytest.fixture
def members() -> Iterator[list[EtcdServer]]:
    peers = {f"m{number}": f"http://127.0.0.1:{free_port()}" for number in range(3)}
    cluster = ",".join(f"{name}={url}" for name, url in peers.items())
    calm = ("--heartbeat-interval=50", "--election-timeout=500")
    with tempfile.TemporaryDirectory(prefix="etcd-") as directory:
        servers = [
            EtcdServer(Path(directory), f"http://127.0.0.1:{free_port()}", calm, name, url, cluster)
            for name, url in peers.items()
        ]
        for server in servers:
            server.start()
        try:
            yield servers
        finally:
            for server in servers:
                server.kill()


async def test_when_our_member_dies_the_others_are_asked(members: list[EtcdServer]) -> None:
    async with backend_of(*members) as backend:
        await answering(backend)
        revision = await backend.put("/a", b"1", expected=0)
        identity = await backend.identity()
        assert backend._client._current is not None
        members[backend._client._at].kill()

        await answering(backend)  # until the other two have agreed on a leader
        found = (await backend.get("/a")).kv
        assert found is not None
        assert found.revision == revision
        await backend.put("/a", b"2", expected=revision)
        assert await backend.identity() == identity


async def test_a_member_without_a_majority_refuses_at_once(members: list[EtcdServer]) -> None:
    async with backend_of(members[0]) as backend:
        await answering(backend)
        await backend.put("/a", b"1", expected=0)
        members[1].kill()
        members[2].kill()

        with pytest.raises(Unavailable):
            await put_for_ever(backend, "/b")
        with pytest.raises(Unavailable, match="no leader") as raised:
            await put_for_ever(backend, "/c")
        assert not raised.value.may_have_happened


async def put_for_ever(backend: EtcdBackend, key: str) -> None:
    """Until the member has noticed that it is alone."""
    revision = 0
    while True:
        revision = await backend.put(key, b"", expected=revision)
