"""SIGTERM and SIGINT, as a process manager sends them."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import orjson
import pytest

import localplane
from localplane.apiserver.server.certificates.self_signed import CertificateFiles
from tests.integration.server.wire import Reply, Wire

IN_FLIGHT = 50
STREAMS = 50


class Process:
    def __init__(self, *arguments: str) -> None:
        root = Path(localplane.__file__).parents[1]
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.server.toy_process", *arguments],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            stdout=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        assert self.popen.stdout is not None
        return self.popen.stdout.readline().strip()

    async def exited(self, *, within: float) -> int:
        return await asyncio.to_thread(self.popen.wait, within)

    def close(self) -> None:
        self.popen.kill()
        self.popen.communicate()


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    started: list[Process] = []
    yield started
    for process in started:
        process.close()


async def busy(port: int, tls: ssl.SSLContext | None, number: int) -> None:
    """Returns when so many requests are being handled."""
    async with await Wire.connect(port, tls=tls) as wire, asyncio.timeout(30):
        while True:
            text = (await wire.get("/metrics")).body.decode()
            line = next(line for line in text.splitlines() if line.startswith("apiserver_current_inflight_requests"))
            if float(line.split()[-1]) > number:
                return
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("protocol", ["plain", "tls"])
async def test_sigterm_lets_requests_finish_and_ends_streams(
    processes: list[Process], certificates: CertificateFiles, client_tls: ssl.SSLContext, protocol: str
) -> None:
    tls = client_tls if protocol == "tls" else None
    process = Process(str(certificates.server.parent) if tls else "-", "0")
    processes.append(process)
    port = int(process.line())
    streams = [await Wire.connect(port, tls=tls) for _ in range(STREAMS)]
    for wire in streams:
        wire.send("GET", "/stream")
        await wire.head()
    waiting = [await Wire.connect(port, tls=tls) for _ in range(IN_FLIGHT)]
    idle = await Wire.connect(port, tls=tls)
    assert (await idle.get("/small")).status == 200
    for wire in waiting:
        wire.send("GET", "/sleep/1")
    await busy(port, tls, IN_FLIGHT)

    process.popen.send_signal(signal.SIGTERM)
    signalled = monotonic()
    assert process.line() == "pre-shutdown hook"
    refused = await refused_on(idle)
    replies = await asyncio.gather(*(wire.reply() for wire in waiting))
    ends = await asyncio.gather(*(wire.chunk() for wire in streams))
    assert await process.exited(within=60) == 0
    assert monotonic() - signalled < 30  # not by the limit of a minute

    assert [(reply.status, reply.body, reply.headers["connection"]) for reply in replies] == [
        (200, b"rested", "close")
    ] * IN_FLIGHT
    assert ends == [b""] * STREAMS
    assert refused.headers["retry-after"] == "1"
    assert refused.headers["connection"] == "close"
    assert orjson.loads(refused.body) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "apiserver is shutting down",
        "reason": "ServiceUnavailable",
        "code": 503,
    }
    with pytest.raises(ConnectionRefusedError):
        await Wire.connect(port)
    for wire in (*streams, *waiting, idle):
        wire.writer.transport.abort()


async def refused_on(wire: Wire) -> Reply:
    """The first answer that is no longer a welcome; requests until then are served."""
    while (reply := await wire.get("/small")).status == 200:
        assert "connection" not in reply.headers
    return reply


@pytest.mark.parametrize(("second", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
async def test_a_second_signal_waits_for_nothing(processes: list[Process], second: signal.Signals, code: int) -> None:
    process = Process("-", "60")
    processes.append(process)
    port = int(process.line())
    async with await Wire.connect(port) as wire:
        process.popen.send_signal(signal.SIGTERM)
        assert process.line() == "pre-shutdown hook"
        assert (await wire.get("/readyz")).status == 500  # the delay passes, and everything is still served
        assert (await wire.get("/small")).status == 200
        process.popen.send_signal(second)
        assert await process.exited(within=30) == code


async def test_a_signal_during_the_start_leaves_nothing_half_made(processes: list[Process], tmp_path: Path) -> None:
    for number in range(6):
        directory = tmp_path / str(number)
        process = Process(str(directory), "0")
        processes.append(process)
        await asyncio.sleep(random.uniform(0.1, 0.6))
        process.popen.send_signal(signal.SIGTERM)
        assert await process.exited(within=60) in (0, -signal.SIGTERM)
        assert not directory.exists() or not [path for path in directory.iterdir() if not path.stat().st_size]
        if (directory / "issued.json").exists():
            assert len(list(directory.iterdir())) == 7
