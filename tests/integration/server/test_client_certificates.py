"""Client certificates on real connections: a bad one is answered, and a good one is good until it ends."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from localplane.apiserver.server import tls as serving
from localplane.apiserver.server.options import (
    AuthenticationOptions,
    RequestHeaderOptions,
    ServerOptions,
    TLSOptions,
)
from localplane.compose.options import StorageKind, StorageOptions
from localplane.compose.server import Plane, PlaneOptions, open_plane
from tests.integration.server.wire import Reply, Wire
from tests.unit.tls.papers import CLIENT, Paper, issue

CLIENTS = issue("client-ca", ca=True)
BELOW_CLIENTS = issue("below-clients", CLIENTS, ca=True)
PROXIES = issue("front-proxy-ca", ca=True)
BELOW_PROXIES = issue("below-proxies", PROXIES, ca=True)
MASTERS = "system:masters"


@asynccontextmanager
async def served(directory: Path, client_ca: Sequence[Paper] = (CLIENTS,)) -> AsyncIterator[Plane]:
    """Believes clients of one authority, and proxies of another."""
    clients, proxies, tokens = directory / "clients.crt", directory / "proxies.crt", directory / "tokens"
    clients.write_bytes(b"".join(paper.pem for paper in client_ca))
    proxies.write_bytes(PROXIES.pem)
    tokens.write_text(f"s3cret,bob,1,{MASTERS}\n")
    options = PlaneOptions(
        name="certificates",
        storage=StorageOptions(kind=StorageKind.MEMORY),
        server=ServerOptions(
            port=0,
            tls=TLSOptions(client_ca=clients),
            authentication=AuthenticationOptions(
                token_file=tokens, request_header=RequestHeaderOptions(client_ca=proxies, allowed_names=("proxy",))
            ),
        ),
    )
    async with open_plane((), options) as plane:
        yield plane


def context(plane: Plane, directory: Path, *shown: Paper) -> ssl.SSLContext:
    made = ssl.create_default_context(cafile=plane.authority)
    if shown:
        made.load_cert_chain(*shown[0].written(directory, "client", *shown[1:]))
    return made


async def asked(plane: Plane, directory: Path, *shown: Paper, headers: dict[str, str] | None = None) -> Reply:
    """For what only masters may see."""
    async with await Wire.connect(plane.server.port, tls=context(plane, directory, *shown)) as wire:
        return await wire.get("/metrics", headers=headers)


STRANGERS = {
    "another authority's": (issue("jane", issue("other", ca=True), organization=MASTERS),),
    "its own": (issue("jane", organization=MASTERS),),
    "an authority's with the same name": (issue("jane", issue("client-ca", ca=True), organization=MASTERS),),
    "one that is over": (
        issue("jane", CLIENTS, organization=MASTERS, age=timedelta(hours=2), lasts=-timedelta(hours=1)),
    ),
    "one that is early": (issue("jane", CLIENTS, organization=MASTERS, age=-timedelta(hours=1)),),
    "a proxy's": (issue("proxy", PROXIES, organization=MASTERS),),
    "one below a proxies' intermediate": (issue("proxy", BELOW_PROXIES, organization=MASTERS), BELOW_PROXIES),
    "a client's, as an authority": (
        issue("jane", leaf := issue("leaf", CLIENTS), organization=MASTERS),
        leaf,
    ),
}


@pytest.mark.parametrize("shown", STRANGERS.values(), ids=STRANGERS)
async def test_a_certificate_that_is_not_believed_is_a_401(tmp_path: Path, shown: tuple[Paper, ...]) -> None:
    async with served(tmp_path) as plane:
        reply = await asked(plane, tmp_path, *shown)
        assert (reply.status, orjson.loads(reply.body)["message"]) == (401, "Unauthorized")
        assert (await asked(plane, tmp_path, *shown, headers={"Authorization": "Bearer s3cret"})).status == 200


GOOD = {
    "a root's": ((CLIENTS,), (issue("jane", CLIENTS, organization=MASTERS, purposes=[CLIENT]),)),
    "an intermediate's, which is sent": (
        (CLIENTS,),
        (issue("jane", BELOW_CLIENTS, organization=MASTERS), BELOW_CLIENTS),
    ),
    "an intermediate's, which is trusted": ((BELOW_CLIENTS,), (issue("jane", BELOW_CLIENTS, organization=MASTERS),)),
    "one that is trusted itself": ((own := issue("jane", CLIENTS, organization=MASTERS),), (own,)),
}


@pytest.mark.parametrize(("trusted", "shown"), GOOD.values(), ids=GOOD)
async def test_whoever_the_bundle_vouches_for_is_believed(
    tmp_path: Path, trusted: tuple[Paper, ...], shown: tuple[Paper, ...]
) -> None:
    async with served(tmp_path, trusted) as plane:
        assert (await asked(plane, tmp_path, *shown)).status == 200


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ((issue("proxy", PROXIES),), 200),
        ((issue("proxy", BELOW_PROXIES), BELOW_PROXIES), 200),
        ((issue("other", PROXIES),), 401),
        ((issue("proxy", CLIENTS),), 403),
    ],
    ids=["a proxy", "a proxy below an intermediate", "another name", "a client, which speaks for itself"],
)
async def test_a_proxy_speaks_for_others(tmp_path: Path, shown: tuple[Paper, ...], expected: int) -> None:
    async with served(tmp_path) as plane:
        headers = {"X-Remote-User": "jane", "X-Remote-Group": MASTERS}
        assert (await asked(plane, tmp_path, *shown, headers=headers)).status == expected


async def test_a_certificate_that_ends_ends_on_an_open_connection(tmp_path: Path) -> None:
    brief = issue("jane", CLIENTS, organization=MASTERS, lasts=timedelta(seconds=2))
    async with (
        served(tmp_path) as plane,
        await Wire.connect(plane.server.port, tls=context(plane, tmp_path, brief)) as wire,
        asyncio.timeout(30),
    ):
        statuses = [(await wire.get("/metrics")).status]
        while statuses[-1] == 200:
            await asyncio.sleep(0.1)
            statuses.append((await wire.get("/metrics")).status)
    assert statuses[0] == 200
    assert statuses[-1] == 401


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_no_session_is_taken_up_again(tmp_path: Path, version: ssl.TLSVersion) -> None:
    """It would be one whose certificate nobody has seen."""

    def ask(
        port: int, made: ssl.SSLContext, session: ssl.SSLSession | None
    ) -> tuple[ssl.SSLSession | None, bool | None]:
        plain = socket.create_connection(("127.0.0.1", port), timeout=10)
        with made.wrap_socket(plain, server_hostname="localhost", session=session) as wire:
            wire.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            answer = b"".join(iter(lambda: wire.recv(65536), b""))
            assert answer.startswith(b"HTTP/1.1 200 OK")
            return wire.session, wire.session_reused

    async with served(tmp_path) as plane:
        made = context(plane, tmp_path, *GOOD["a root's"][1])
        made.minimum_version = made.maximum_version = version
        session, _ = await asyncio.to_thread(ask, plane.server.port, made, None)
        _, is_reused = await asyncio.to_thread(ask, plane.server.port, made, session)
    assert not is_reused


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to ask with")
async def test_clients_are_told_whose_certificates_are_believed(tmp_path: Path) -> None:
    """Those that have several choose by it, as Go's do."""
    async with served(tmp_path, (CLIENTS, CLIENTS, BELOW_CLIENTS)) as plane:
        started = await asyncio.create_subprocess_exec(
            *("openssl", "s_client", "-connect", f"127.0.0.1:{plane.server.port}"),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=DEVNULL,
        )
        told, _ = await started.communicate()
    _, _, behind = told.decode().partition("Acceptable client certificate CA names\n")
    names = [line.replace(" ", "").partition("@")[0] for line in behind.splitlines()[:5]]
    assert names[:4] == ["CN=client-ca", "CN=below-clients", "CN=localplane-ca", "CN=front-proxy-ca"]
    assert not names[4].startswith("CN=")


async def test_where_openssl_can_not_be_told_a_stranger_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "accept_any", lambda _: None)
    async with served(tmp_path, (BELOW_CLIENTS,)) as plane:
        assert (await asked(plane, tmp_path)).status == 403
        assert (await asked(plane, tmp_path, *GOOD["an intermediate's, which is trusted"][1])).status == 200
        with pytest.raises((ConnectionError, ssl.SSLError, asyncio.IncompleteReadError)):
            await asked(plane, tmp_path, *STRANGERS["its own"])
        assert (await asked(plane, tmp_path, *STRANGERS["one below a proxies' intermediate"])).status == 401
