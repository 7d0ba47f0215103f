"""Paths that are no resources: the index at /, /version, /statusz, health and metrics.

Kubernetes: server/routes, server/mux/pathrecorder.go, server/healthz.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from localplane.apimachinery.errors import generic
from localplane.apimachinery.serializers.media_types import check_route
from localplane.apiserver.request import Answer, Handler, Request, Response

from .dispatch import not_found
from .monitoring.exposition import Family, render
from .monitoring.health import HealthCheck, HealthChecks, Unhealthy, report
from .monitoring.metrics import CONTENT_TYPE, Metrics
from .version import version_document

_READS = frozenset({"GET", "HEAD"})
_HEALTH = ("healthz", "livez", "readyz")
_OF_STATUS = ("/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version")
_TEXT = "text/plain; charset=utf-8"
_NOSNIFF = {"X-Content-Type-Options": "nosniff"}


@dataclass(frozen=True, slots=True)
class _Path:
    handler: Handler
    methods: Collection[str]
    listed: bool


class NonResourcePaths:
    """A table, and the router that reads it. `more` names the paths of other routers, for the index."""

    def __init__(self) -> None:
        self._paths: dict[str, _Path] = {}
        self._more: list[Callable[[], Iterable[str]]] = []
        self.add("/", self._index, methods=(), listed=False)
        self.add("/index.html", self._index, methods=(), listed=False)

    def add(self, path: str, handler: Handler, *, methods: Collection[str] = _READS, listed: bool = True) -> None:
        """Exactly this path, for all methods if none are named. Raises ValueError if it is taken."""
        if path in self._paths:
            raise ValueError(f"there are two handlers for {path}")
        self._paths[path] = _Path(handler, methods, listed)

    def list_also(self, paths: Callable[[], Iterable[str]]) -> None:
        self._more.append(paths)

    async def route(self, request: Request) -> Answer | None:
        found = self._paths.get(request.path)
        if found is None:
            return None
        if found.methods and request.method not in found.methods:
            raise generic(405)
        return await found.handler(request)

    def listed(self) -> list[str]:
        paths = {path for path, entry in self._paths.items() if entry.listed}
        return sorted(paths.union(*(more() for more in self._more)))

    async def _index(self, _request: Request) -> Answer:
        return _json({"paths": self.listed()})


def add_version(paths: NonResourcePaths) -> None:
    document = _json(version_document())

    async def version(request: Request) -> Answer:
        check_route(request.headers.get("accept", ""), ("application/json",))
        return document

    paths.add("/version", version, methods=("GET",))
    paths.add("/version/", version, methods=("GET",), listed=False)


def add_status(paths: NonResourcePaths, started: datetime) -> None:
    """/statusz: since when the server runs, and as what. Kubernetes: component-base/zpages/statusz."""

    async def read(request: Request) -> Answer:
        check_route(request.headers.get("accept", ""), ("text/plain",))
        version = version_document()
        release = f"{version['major']}.{version['minor']}"
        minutes, seconds = divmod(int((datetime.now(UTC) - started).total_seconds()), 60)
        hours, minutes = divmod(minutes, 60)
        shown = " ".join(path for path in _OF_STATUS if path in paths.listed() or path[1:] in _HEALTH)
        lines = (
            "",
            "apiserver statusz",
            "This page is for people who look for a fault: its form may change at any time.",
            "",
            f"Started:  {started:%a %b %e %H:%M:%S} UTC {started:%Y}",
            f"Up:  {hours} hr {minutes:02} min {seconds:02} sec",
            f"Go version:  {version['goVersion']}",
            f"Binary version:  {release}",
            f"Emulation version:  {release}",
            f"Paths:  {shown}",
            "",
        )
        return Response(200, "\n".join(lines).encode(), content_type=_TEXT)

    paths.add("/statusz", read, methods=())


def add_metrics(paths: NonResourcePaths, metrics: Metrics) -> None:
    async def read(_request: Request) -> Answer:
        return Response(200, metrics.render(), content_type=CONTENT_TYPE)

    paths.add("/metrics", read, methods=())


def add_health_metrics(paths: NonResourcePaths, checks: HealthChecks) -> None:
    """/metrics/slis: whether each check succeeds, and how often it did when somebody looked. Kubernetes:
    component-base/metrics/prometheus/slis."""
    counts: dict[tuple[str, str, str], int] = {}

    async def read(_request: Request) -> Answer:
        now = Family("kubernetes_healthcheck", "gauge", "Whether a health check succeeds.")
        total = Family("kubernetes_healthchecks_total", "counter", "How often health checks ended how.")
        for endpoint in _HEALTH:
            for check in checks.of(endpoint):
                status = await _outcome(check)
                now.add(float(status == "success"), name=check.name, type=endpoint)
                counts[check.name, status, endpoint] = counts.get((check.name, status, endpoint), 0) + 1
        for (name, status, endpoint), count in counts.items():
            total.add(count, name=name, status=status, type=endpoint)
        return Response(200, render([now, total]), content_type=CONTENT_TYPE)

    paths.add("/metrics/slis", read, methods=())


async def _outcome(check: HealthCheck) -> str:
    try:
        await check.run()
    except Unhealthy:
        return "error"
    return "success"


class HealthPaths:
    """A router of its own, because checks come late: /readyz, /readyz/NAME, and so on for livez and healthz. It answers
    to every method."""

    def __init__(self, checks: HealthChecks) -> None:
        self._checks = checks

    async def route(self, request: Request) -> Answer | None:
        endpoint, _, name = request.path[1:].partition("/")
        if endpoint not in ("livez", "readyz", "healthz"):
            return None
        return await (self._one(endpoint, name) if name else self._all(endpoint, request))

    def listed(self) -> Iterable[str]:
        for endpoint in _HEALTH:
            yield f"/{endpoint}"
            yield from (f"/{endpoint}/{check.name}" for check in self._checks.of(endpoint))

    async def _all(self, endpoint: str, request: Request) -> Response:
        told = await report(
            endpoint,
            self._checks.of(endpoint),
            verbose="verbose" in request.query,
            exclude=request.query.all("exclude"),
        )
        return Response(200 if told.ok else 500, told.text.encode(), _TEXT, dict(_NOSNIFF))

    async def _one(self, endpoint: str, name: str) -> Response:
        """Whoever may ask for one check by its name may also know why it fails."""
        check = self._checks.find(endpoint, name)
        if check is None:
            return not_found()
        try:
            await check.run()
        except Unhealthy as error:
            return Response(500, f"internal server error: {error}\n".encode(), _TEXT, dict(_NOSNIFF))
        return Response(200, b"ok", _TEXT)


def _json(document: object) -> Response:
    return Response(200, orjson.dumps(document, option=orjson.OPT_INDENT_2))
