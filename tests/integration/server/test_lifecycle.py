"""A server's life: hooks, readiness, and the stop, seen through its own API."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import orjson
import pytest

from localplane.apiserver.endpoints.filters.recover import recover
from localplane.apiserver.request import Answer, Request, Response
from localplane.apiserver.server.config import ServerConfig
from localplane.apiserver.server.hooks import PostStartContext
from localplane.apiserver.server.lifecycle import GenericServer, Phase
from localplane.apiserver.server.monitoring.health import HealthCheck, Unhealthy
from tests.integration.server.toy import Toys, toy_server
from tests.integration.server.wire import Reply, Wire, eventually


async def get(server: GenericServer, path: str, method: str = "GET") -> Reply:
    async with await Wire.connect(server.port) as wire:
        return await wire.get(path, method=method)


async def test_readyz_is_red_until_every_post_start_hook_has_returned(toys: Toys) -> None:
    server = toy_server(toys)
    gate = asyncio.Event()

    async def hook(context: PostStartContext) -> None:
        assert context.url == server.url
        await gate.wait()

    server.add_post_start_hook("toy", hook)
    async with server:
        reply = await get(server, "/readyz")
        assert reply.status == 500
        assert b"[-]poststarthook/toy failed: reason withheld\n" in reply.body
        assert (await get(server, "/readyz/poststarthook/toy")).body == b"internal server error: not finished\n"
        gate.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (await get(server, "/readyz")).body == b"ok"
        assert (await get(server, "/readyz/poststarthook/toy")).body == b"ok"


async def test_a_failing_hook_keeps_readyz_red_and_is_logged(toys: Toys, caplog: pytest.LogCaptureFixture) -> None:
    server = toy_server(toys)

    async def hook(context: PostStartContext) -> None:
        raise RuntimeError("no toys left")

    server.add_post_start_hook("toy", hook)
    with caplog.at_level(logging.ERROR):
        async with server:
            await asyncio.sleep(0)
            assert (await get(server, "/small")).status == 200
            assert (await get(server, "/readyz")).status == 500
            reply = await get(server, "/readyz/poststarthook/toy")
            assert reply.body == b"internal server error: failed: no toys left\n"
    assert "post-start hook toy failed" in caplog.text


async def test_what_a_hook_leaves_in_the_background_ends_with_the_server(toys: Toys) -> None:
    server = toy_server(toys)
    ended = asyncio.Event()
    begun = asyncio.Event()

    async def loop() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def hook(context: PostStartContext) -> None:
        context.background.run("toy loop", loop())

    server.add_post_start_hook("toy", hook)
    async with server:
        await asyncio.wait_for(begun.wait(), 30)
        assert not ended.is_set()
    assert ended.is_set()


async def test_readyz_tells_its_checks_in_kubernetes_order(toys: Toys) -> None:
    async def fine() -> None:
        pass

    async def hook(context: PostStartContext) -> None:
        pass

    server = GenericServer(ServerConfig(), filters=[recover()], checks=[HealthCheck("etcd", fine)])
    server.add_post_start_hook("toy", hook)
    async with server:
        await asyncio.sleep(0)
        verbose = (await get(server, "/readyz?verbose")).body.decode().splitlines()
        assert verbose == [
            "[+]ping ok",
            "[+]log ok",
            "[+]etcd ok",
            "[+]informer-sync ok",
            "[+]poststarthook/toy ok",
            "[+]shutdown ok",
            "readyz check passed",
        ]
        live = (await get(server, "/livez?verbose&exclude=etcd")).body.decode().splitlines()
        assert live == [
            "[+]ping ok",
            "[+]log ok",
            "[+]etcd excluded: ok",
            "[+]poststarthook/toy ok",
            "livez check passed",
        ]


async def test_informers_and_storage_can_make_it_unready(toys: Toys) -> None:
    unsynced = {"pods"}

    async def down() -> None:
        raise Unhealthy("connection refused")

    server = GenericServer(
        ServerConfig(), filters=[recover()], checks=[HealthCheck("etcd", down)], unsynced=lambda: unsynced
    )
    async with server:
        reply = await get(server, "/readyz")
        assert b"[-]etcd failed: reason withheld\n[-]informer-sync failed: reason withheld\n" in reply.body
        assert (await get(server, "/readyz/informer-sync")).body.endswith(b"1 informers not started yet: pods\n")
        unsynced.clear()
        assert (await get(server, "/readyz/informer-sync")).body == b"ok"
        assert (await get(server, "/livez")).status == 500
        assert (await get(server, "/readyz?exclude=etcd")).status == 200


async def test_the_stop_begins_red_and_still_serves_while_the_delay_passes(toys: Toys) -> None:
    server = toy_server(toys, shutdown_delay=timedelta(seconds=0.3))
    calls: list[int] = []

    async def hook() -> None:
        calls.append((await get(server, "/small")).status)

    server.add_pre_shutdown_hook("toy", hook)
    await server.start()
    assert (await get(server, "/readyz")).status == 200
    stopping = asyncio.create_task(server.stop())
    await asyncio.sleep(0)
    ready, live, small = await asyncio.gather(get(server, "/readyz"), get(server, "/livez"), get(server, "/small"))
    assert (ready.status, live.status, small.status) == (500, 200, 200)
    assert b"[-]shutdown failed" in ready.body
    assert not stopping.done()
    await stopping
    assert calls == [200]
    assert server.phase is Phase.STOPPED
    with pytest.raises(ConnectionRefusedError):
        await Wire.connect(server.port)


async def test_health_and_metrics_are_answered_to_the_end(server: GenericServer, toys: Toys) -> None:
    async with await Wire.connect(server.port) as busy, await Wire.connect(server.port) as asks:
        busy.send("GET", "/wait")
        await toys.waiting_requests(1)
        assert (await asks.get("/livez")).status == 200
        others = [await Wire.connect(server.port) for _ in range(3)]
        for other in others:
            assert (await other.get("/small")).status == 200
        stopping = asyncio.create_task(server.stop())
        await eventually(lambda: server.phase is Phase.REFUSING)
        assert (await others[0].get("/livez")).status == 200
        assert (await others[1].get("/metrics")).status == 200
        assert (await others[2].get("/small")).status == 503
        toys.release.set()
        assert (await busy.reply()).body == b"released"
        await stopping
        for other in others:
            other.writer.transport.abort()


async def test_streams_are_ended_after_the_last_request(server: GenericServer, toys: Toys) -> None:
    """A watch still sees what the last writes did."""
    async with await Wire.connect(server.port) as busy, await Wire.connect(server.port) as watching:
        watching.send("GET", "/stream")
        await watching.head()
        stream = await toys.stream()
        busy.send("GET", "/wait")
        await toys.waiting_requests(1)
        stopping = asyncio.create_task(server.stop())
        await eventually(lambda: server.phase is Phase.REFUSING)
        stream.pieces.put_nowait(b"event")
        assert await watching.chunk() == b"event"
        assert stream.closed == 0
        toys.release.set()
        assert await watching.chunk() == b""
        await stopping
        assert stream.closed == 1


async def test_a_handler_that_never_returns_does_not_hold_the_stop(toys: Toys) -> None:
    server = toy_server(toys, shutdown_timeout=timedelta(seconds=0.2))
    await server.start()
    async with await Wire.connect(server.port) as wire:
        wire.send("GET", "/wait")
        await toys.waiting_requests(1)
        await asyncio.wait_for(server.stop(), 30)
    assert toys.cancelled.is_set()


async def test_a_pre_shutdown_hook_may_fail_or_hang_without_stopping_the_stop(
    toys: Toys, caplog: pytest.LogCaptureFixture
) -> None:
    server = toy_server(toys, shutdown_timeout=timedelta(seconds=0.2))

    async def fails() -> None:
        raise RuntimeError("toy")

    async def hangs() -> None:
        await asyncio.Event().wait()

    server.add_pre_shutdown_hook("fails", fails)
    server.add_pre_shutdown_hook("hangs", hangs)
    await server.start()
    await asyncio.wait_for(server.stop(), 30)
    assert "pre-shutdown hook fails failed" in caplog.text
    assert "pre-shutdown hook hangs took too long" in caplog.text


async def test_stopping_twice_is_stopping_once(toys: Toys) -> None:
    server = toy_server(toys)
    calls: list[str] = []

    async def hook() -> None:
        calls.append("once")

    server.add_pre_shutdown_hook("toy", hook)
    await server.start()
    await asyncio.gather(server.stop(), server.stop())
    await server.stop()
    assert calls == ["once"]


async def test_unknown_paths_are_503_until_all_are_installed(toys: Toys) -> None:
    server = toy_server(toys)
    installed = server.expect_paths("custom resources")
    async with server:
        early = await get(server, "/apis/example.com/v1/things")
        assert (early.status, early.headers["retry-after"]) == (503, "5")
        assert orjson.loads(early.body) == {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": "the request has been made before all known HTTP paths have been installed, please try again",
            "reason": "ServiceUnavailable",
            "details": {"retryAfterSeconds": 5},
            "code": 503,
        }
        assert (await get(server, "/small")).status == 200

        async def things(request: Request) -> Answer | None:
            return Response(200, b"{}") if request.path == "/apis/example.com/v1/things" else None

        server.add_router(things)
        installed()
        assert (await get(server, "/apis/example.com/v1/things")).status == 200
        late = await get(server, "/apis/example.com/v1/others")
        assert (late.status, late.body) == (404, b"404 page not found\n")
        assert late.headers["content-type"] == "text/plain; charset=utf-8"
        assert late.headers["x-content-type-options"] == "nosniff"


async def test_requests_and_streams_are_counted(server: GenericServer, toys: Toys) -> None:
    async with await Wire.connect(server.port) as watching:
        watching.send("GET", "/api/v1/namespaces/default/configmaps?watch=true")
        assert (await watching.reply()).status == 404
        watching.send("GET", "/stream")
        await watching.head()
        stream = await toys.stream()
        stream.pieces.put_nowait(b"{}\n{}\n")
        await watching.chunk()
        text = (await get(server, "/metrics")).body.decode()
    assert 'apiserver_longrunning_requests{verb="GET"' in text
    assert 'apiserver_watch_events_total{group="",version="",resource=""} 2' in text
    assert 'apiserver_request_total{verb="WATCH",' in text
    assert 'apiserver_current_inflight_requests{request_kind="readOnly"} 1' in text
