"""Whose path is it, and what the server says about itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import orjson
import pytest

from localplane.apimachinery.errors import MethodNotAllowed, ServiceUnavailable
from localplane.apiserver.request import Answer, Request, Response
from localplane.apiserver.server.dispatch import Router, dispatch
from localplane.apiserver.server.monitoring.health import HealthCheck, HealthChecks, Unhealthy, ping
from localplane.apiserver.server.monitoring.metrics import CONTENT_TYPE, Metrics
from localplane.apiserver.server.paths import (
    HealthPaths,
    NonResourcePaths,
    add_health_metrics,
    add_metrics,
    add_status,
    add_version,
)
from tests.unit.server.asking import ask


@pytest.fixture
def paths() -> NonResourcePaths:
    paths = NonResourcePaths()
    add_version(paths)
    add_metrics(paths, Metrics())
    return paths


@pytest.fixture
def health() -> HealthPaths:
    checks = HealthChecks()
    checks.add(HealthCheck("ping", ping))
    return HealthPaths(checks)


def document(answer: Answer | None) -> dict[str, object]:
    assert isinstance(answer, Response)
    assert isinstance(answer.body, bytes)
    parsed: dict[str, object] = orjson.loads(answer.body)
    return parsed


async def test_version_says_which_kubernetes_we_speak(paths: NonResourcePaths) -> None:
    answer = await paths.route(ask("/version"))
    version = document(answer)
    assert (version["major"], version["minor"], version["compiler"]) == ("1", "37", "gc")
    assert str(version["gitVersion"]).startswith("v1.37.0+kctl")
    assert "kind" not in version
    assert isinstance(answer, Response)
    assert answer.content_type == "application/json"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
async def test_what_can_only_be_read_says_so(paths: NonResourcePaths, method: str) -> None:
    with pytest.raises(MethodNotAllowed) as caught:
        await paths.route(ask("/version", method))
    assert caught.value.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "the server does not allow this method on the requested resource",
        "reason": "MethodNotAllowed",
        "details": {},
        "code": 405,
    }


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["/", "/metrics"])
async def test_the_index_and_metrics_answer_to_every_method(paths: NonResourcePaths, path: str, method: str) -> None:
    answer = await paths.route(ask(path, method))
    assert isinstance(answer, Response)
    assert answer.status == 200


@pytest.mark.parametrize("path", ["/healthz", "/livez/ping", "/readyz"])
async def test_health_answers_to_every_method(health: HealthPaths, path: str) -> None:
    answer = await health.route(ask(path, "POST"))
    assert isinstance(answer, Response)
    assert (answer.status, answer.body) == (200, b"ok")


async def test_the_outcome_of_each_check_is_a_metric() -> None:
    async def fail() -> None:
        raise Unhealthy("so it is")

    paths, checks = NonResourcePaths(), HealthChecks()
    checks.add(HealthCheck("ping", ping))
    checks.add_readiness(HealthCheck("sick", fail))
    add_health_metrics(paths, checks)
    await paths.route(ask("/metrics/slis"))
    answer = await paths.route(ask("/metrics/slis"))
    assert isinstance(answer, Response)
    assert isinstance(answer.body, bytes)
    lines = answer.body.decode().splitlines()
    assert 'kubernetes_healthcheck{name="ping",type="livez"} 1' in lines
    assert 'kubernetes_healthcheck{name="sick",type="readyz"} 0' in lines
    assert 'kubernetes_healthchecks_total{name="sick",status="error",type="readyz"} 2' in lines


async def test_the_status_tells_since_when_the_server_runs_and_as_what(paths: NonResourcePaths) -> None:
    add_status(paths, datetime.now(UTC) - timedelta(hours=27, minutes=3))
    answer = await paths.route(ask("/statusz"))
    assert isinstance(answer, Response)
    assert isinstance(answer.body, bytes)
    assert answer.content_type == "text/plain; charset=utf-8"
    told = dict(line.split(":  ", 1) for line in answer.body.decode().splitlines() if ":  " in line)
    assert list(told) == ["Started", "Up", "Go version", "Binary version", "Emulation version", "Paths"]
    assert told["Up"].startswith("27 hr 03 min ")
    assert told["Started"].endswith(str((datetime.now(UTC) - timedelta(hours=27, minutes=3)).year))
    assert told["Binary version"] == "1.37"
    assert told["Paths"] == "/healthz /livez /metrics /readyz /statusz /version"


@pytest.mark.parametrize("path", ["/", "/index.html"])
async def test_the_index_lists_all_paths_in_order(paths: NonResourcePaths, health: HealthPaths, path: str) -> None:
    paths.list_also(health.listed)
    paths.list_also(lambda: ["/api", "/.well-known/openid-configuration", "/metrics"])
    assert document(await paths.route(ask(path))) == {
        "paths": [
            "/.well-known/openid-configuration",
            "/api",
            "/healthz",
            "/healthz/ping",
            "/livez",
            "/livez/ping",
            "/metrics",
            "/readyz",
            "/readyz/ping",
            "/version",
        ]
    }


async def test_metrics_have_prometheus_content_type(paths: NonResourcePaths) -> None:
    answer = await paths.route(ask("/metrics"))
    assert isinstance(answer, Response)
    assert answer.content_type == CONTENT_TYPE == "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"


async def test_other_paths_are_not_ours(paths: NonResourcePaths, health: HealthPaths) -> None:
    for path in ("/nope", "/versions", "/metrics/more", "/healthy"):
        assert await paths.route(ask(path)) is None
        assert await health.route(ask(path)) is None


async def test_a_path_can_be_taken_only_once(paths: NonResourcePaths) -> None:
    async def handler(_request: Request) -> Answer:
        return Response(200)

    with pytest.raises(ValueError, match="there are two handlers for /version"):
        paths.add("/version", handler)


async def test_an_unknown_check_is_no_path(health: HealthPaths) -> None:
    answer = await health.route(ask("/livez/nope"))
    assert isinstance(answer, Response)
    assert (answer.status, answer.body) == (404, b"404 page not found\n")


async def test_routers_are_asked_in_turn() -> None:
    asked: list[str] = []

    def router(name: str, prefix: str) -> Router:
        async def route(request: Request) -> Answer | None:
            asked.append(name)
            return Response(200, name.encode()) if request.path.startswith(prefix) else None

        return route

    routers = [router("first", "/a"), router("second", "/a/b"), router("third", "/")]
    handler = dispatch(routers, complete=lambda: True)
    answer = await handler(ask("/a/b"))
    assert isinstance(answer, Response)
    assert (answer.body, asked) == (b"first", ["first"])
    asked.clear()
    await handler(ask("/c"))
    assert asked == ["first", "second", "third"]


async def test_an_unknown_path_is_404_only_when_all_are_known() -> None:
    complete = False
    handler = dispatch([], complete=lambda: complete)
    with pytest.raises(ServiceUnavailable) as caught:
        await handler(ask("/apis/example.com/v1/things"))
    assert caught.value.retry_after_seconds == 5
    complete = True
    answer = await handler(ask("/apis/example.com/v1/things"))
    assert isinstance(answer, Response)
    assert (answer.status, answer.content_type) == (404, "text/plain; charset=utf-8")


async def test_two_checks_cannot_share_a_name() -> None:
    checks = HealthChecks()
    checks.add(HealthCheck("ping", ping))
    with pytest.raises(ValueError, match="two health checks named ping"):
        checks.add(HealthCheck("ping", ping))
