"""Health and facts over a real unix socket."""

from __future__ import annotations

import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from localplane.apimachinery.errors import ServiceUnavailable
from localplane.apiserver.registry.errors import interpret_list
from localplane.apiserver.server.monitoring.health import HealthCheck, Unhealthy, ping
from localplane.apiserver.server.monitoring.health_socket import HealthHandler, listening
from localplane.apiserver.storage.errors import Unavailable


class Server:
    """What the handler asks, to be changed by a test."""

    def __init__(self) -> None:
        self.store_is_up = True

    async def check_store(self) -> None:
        if not self.store_is_up:
            raise Unhealthy("down,\non one line")

    async def facts(self) -> dict[str, Any]:
        if not self.store_is_up:
            raise interpret_list(Unavailable("the store can't be reached"))
        return {"store": "memory", "revision": 7}

    def handler(self) -> HealthHandler:
        store = HealthCheck("memory", self.check_store)
        return HealthHandler(
            live=[HealthCheck("ping", ping)], ready=[HealthCheck("ping", ping), store], facts=self.facts
        )


@pytest.fixture
def server() -> Server:
    return Server()


@asynccontextmanager
async def client_of(path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession("http://localhost", connector=aiohttp.UnixConnector(str(path))) as session:
        yield session


@pytest.fixture
async def client(server: Server, tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    path = tmp_path / "health.sock"
    async with listening(path, server.handler()), client_of(path) as session:
        yield session


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz", "/readyz/", "/readyz/memory", "/livez/ping"])
async def test_a_healthy_server_says_ok(client: aiohttp.ClientSession, path: str) -> None:
    async with client.get(path) as answer:
        assert (answer.status, await answer.text()) == (200, "ok")
        assert answer.content_type == "text/plain"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-cache, private"


async def test_verbose_and_exclude_are_heard(client: aiohttp.ClientSession, server: Server) -> None:
    server.store_is_up = False
    async with client.get("/readyz?verbose&exclude=memory&exclude=none") as answer:
        assert answer.status == 200
        assert await answer.text() == (
            "[+]ping ok\n[+]memory excluded: ok\n"
            'warn: some health checks cannot be excluded: no matches for "none"\nreadyz check passed\n'
        )


async def test_a_server_that_is_not_ready_is_still_alive(client: aiohttp.ClientSession, server: Server) -> None:
    server.store_is_up = False
    async with client.get("/readyz") as answer:
        assert answer.status == 500
        assert await answer.text() == "[+]ping ok\n[-]memory failed: down, on one line\nreadyz check failed\n"
    async with client.get("/readyz/memory") as answer:
        assert answer.status == 500
    async with client.get("/livez") as answer:
        assert answer.status == 200


async def test_facts_are_told_as_json(client: aiohttp.ClientSession) -> None:
    async with client.get("/storage") as answer:
        assert (answer.status, answer.content_type) == (200, "application/json")
        assert await answer.json() == {"store": "memory", "revision": 7}


async def test_facts_that_nobody_can_tell_are_a_status(client: aiohttp.ClientSession, server: Server) -> None:
    server.store_is_up = False
    async with client.get("/storage") as answer:
        assert answer.status == 503
        assert answer.headers["Retry-After"] == "1"
        assert await answer.json() == ServiceUnavailable("the store can't be reached", retry_after_seconds=1).status()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/api"),
        ("GET", "/storage/"),
        ("GET", "/readyz/unknown"),
        ("GET", "/livez/memory"),
        ("GET", "/readyz/ping/more"),
        ("POST", "/readyz"),
        ("DELETE", "/storage"),
    ],
)
async def test_anything_else_is_not_found(client: aiohttp.ClientSession, method: str, path: str) -> None:
    async with client.request(method, path) as answer:
        status = await answer.json()
        assert answer.status == status["code"] == 404
        assert status["reason"] == "NotFound"
        assert status["message"] == "the server could not find the requested resource"


async def test_the_socket_is_its_owners_alone_and_goes_with_the_server(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "health.sock"
    async with listening(path, server.handler()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.is_socket()
    assert not path.exists()


async def test_the_leftover_of_a_killed_process_is_replaced(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "health.sock"
    path.write_text("left over")
    async with listening(path, server.handler()), client_of(path) as client, client.get("/livez") as answer:
        assert await answer.text() == "ok"
