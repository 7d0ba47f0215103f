"""Whoever asks another server reads its answer to the end: one suite for every caller there is.

What is in the socket now is not the answer. Each caller gets the same answers in all the pieces that a network may make
of them, and answers that never end properly, which it must not take for whole ones.
"""

from __future__ import annotations

import asyncio
import gzip
import resource
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
import pytest

from localplane.apiserver.outbound import WebhookClient, WebhookFailed, WebhookLocation
from localplane.apiserver.request import Response
from localplane.apiserver.storage.etcd.program.install.download import download as install_download
from localplane.apiserver.storage.etcd.program.install.errors import InstallFailed
from localplane.catalog.core import component_statuses
from localplane.client.errors import ClientError
from localplane.client.kubeconfig import ClientConfig
from localplane.client.transport.aiohttp_transport import HTTPTransport
from localplane.client.transport.blocking_transport import BlockingTransport
from localplane.client.transport.downloads import download
from localplane.client.transport.driver import drive
from localplane.servers.aggregator import availability, proxy
from localplane.servers.aggregator.connections import Connections, url_of
from localplane.servers.aggregator.remote import Remote, Trust
from tests.integration.outbound import answering as answers
from tests.integration.outbound.answering import AUTHORITY, Answering, answering

SHORT = b'{"answer": "' + b"no, and here is why: " * 12 + b'"}'
LONG = b'{"answer": "' + b"x" * 300_000 + b'"}'
TRUST = Trust("localhost", AUTHORITY.pem, insecure=False)
REMOTE = Remote(
    name="v1.example.com",
    group="example.com",
    version="v1",
    group_priority=1,
    version_priority=1,
    namespace="default",
    service="s",
    port=443,
    trust=TRUST,
    available=True,
)


async def webhook(port: int) -> bytes:
    async with WebhookClient() as client:
        place = WebhookLocation(f"https://localhost:{port}/review", authorities=AUTHORITY.pem)
        return await client.post(place, b"{}", within=timedelta(seconds=30))


async def discovery_of_another_server(port: int) -> bytes:
    connections = Connections(None)
    try:
        return await availability._get(connections, REMOTE, ("localhost", port), "/apis/example.com/v1")
    finally:
        await connections.close()


async def aggregator(port: int) -> bytes:
    """As far as the client is told: an answer that is cut off is an error, or breaks off."""
    connections = Connections(None)
    try:
        asked = await connections.request(TRUST, url_of("localhost", port, "/apis/example.com/v1/x"), headers=[])
        answer = await proxy._answered(asked)
        if isinstance(answer, Response):
            assert answer.status == 200, answer.body
            body, headers = answer.body, answer.headers
        else:
            try:
                body, headers = b"".join([piece async for piece in answer.pieces]), answer.headers
            finally:
                await answer.close()  # as whoever serves a stream does
    finally:
        await connections.close()
    assert isinstance(body, bytes)
    return gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body


async def component(port: int) -> bytes:
    status, body = await component_statuses._get_healthz(port)
    assert status == 200
    return body.encode()


def config(port: int) -> ClientConfig:
    return ClientConfig(server=f"https://localhost:{port}", certificate_authority_data=AUTHORITY.pem)


async def transport(port: int) -> bytes:
    asking = HTTPTransport(config(port))
    try:
        return await (await asking.request("GET", "/")).read()
    finally:
        await asking.close()


async def blocking_transport(port: int) -> bytes:
    async def ask() -> bytes:
        asking = BlockingTransport(config(port), agent="a test")
        try:
            return await (await asking.request("GET", "/")).read()
        finally:
            await asking.close()

    return await asyncio.to_thread(drive, ask)


async def etcd_release(port: int) -> bytes:
    with TemporaryDirectory() as directory:
        file = Path(directory) / "etcd.tar.gz"
        url = f"http://localhost:{port}/etcd.tar.gz"
        await asyncio.to_thread(install_download, url, file, on_progress=lambda *_: None)
        return file.read_bytes()


async def manifest(port: int) -> bytes:
    return await asyncio.to_thread(download, f"http://localhost:{port}/m.yaml", limit=1 << 20)


@dataclass(frozen=True)
class Caller:
    ask: Callable[[int], Awaitable[bytes]]
    failure: type[BaseException] | tuple[type[BaseException], ...]
    secure: bool = True
    unpacks: bool = True
    bounded: bool = False
    longest: int = 1 << 30


CALLERS = {
    "webhook": Caller(webhook, WebhookFailed, bounded=True),
    "discovery of another server": Caller(discovery_of_another_server, availability._NoAnswer, bounded=True),
    "aggregator": Caller(aggregator, (AssertionError, ConnectionResetError, EOFError, aiohttp.ClientError)),
    "component": Caller(component, OSError, longest=16384),
    "transport": Caller(transport, ClientError),
    "blocking transport": Caller(blocking_transport, ClientError),
    "etcd's release": Caller(etcd_release, InstallFailed, secure=False, unpacks=False),
    "manifest": Caller(manifest, OSError, secure=False, unpacks=False),
}
FRAMES = (
    answers.with_length,
    answers.chunked,
    answers.until_the_end,
    answers.packed,
    answers.packed_in_chunks,
)
PIECES = (answers.whole, answers.halves, answers.head_first, answers.byte_by_byte)


@pytest.fixture
async def server(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Answering]:
    caller: Caller = request.getfixturevalue("caller")
    async with answering(tmp_path, paper=answers.SERVER if caller.secure else None) as told:
        yield told


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("caller", CALLERS.values(), ids=CALLERS)
async def test_an_answer_is_the_same_in_any_pieces(
    caller: Caller,
    server: Answering,
    frame: Callable[[bytes], bytes],
    pieces: Callable[[bytes], list[bytes]],
) -> None:
    if not caller.unpacks and frame in (answers.packed, answers.packed_in_chunks):
        pytest.skip("nobody packs for one who does not ask for it")
    server.pieces = pieces(frame(SHORT))
    assert await caller.ask(server.port) == SHORT


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("caller", CALLERS.values(), ids=CALLERS)
async def test_a_long_answer_is_read_whole(caller: Caller, server: Answering, frame: Callable[[bytes], bytes]) -> None:
    if not caller.unpacks and frame in (answers.packed, answers.packed_in_chunks):
        pytest.skip("nobody packs for one who does not ask for it")
    body = LONG[: caller.longest // 2]
    server.pieces = answers.halves(frame(body))
    assert await caller.ask(server.port) == body


CUTS = {
    "before the head ends": lambda: answers.with_length(SHORT)[:20],
    "before the length": lambda: answers.with_length(SHORT)[:-1],
    "within a chunk": lambda: answers.chunked(SHORT)[:-20],
    "before the last chunk": lambda: answers.chunked(SHORT).removesuffix(b"0\r\n\r\n"),
    "within what is packed": lambda: answers.with_length(gzip.compress(SHORT, mtime=0)[:-9], "Content-Encoding: gzip"),
}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("caller", CALLERS.values(), ids=CALLERS)
async def test_half_an_answer_is_none(caller: Caller, server: Answering, cut: Callable[[], bytes]) -> None:
    if not caller.unpacks and cut is CUTS["within what is packed"]:
        pytest.skip("it is not unpacked")
    server.pieces = answers.halves(cut())
    with pytest.raises(caller.failure):
        await caller.ask(server.port)


@pytest.mark.parametrize("caller", [caller for caller in CALLERS.values() if caller.bounded])
async def test_a_small_answer_does_not_become_a_large_one(caller: Caller, server: Answering) -> None:
    """400 MB in 400 KB."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    bomb = gzip.compress(b"\0" * (100 << 20), 9, mtime=0) * 4
    server.pieces = [answers.with_length(bomb, "Content-Encoding: gzip")]
    with pytest.raises(caller.failure, match="larger than"):
        await caller.ask(server.port)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 350 * 1024
