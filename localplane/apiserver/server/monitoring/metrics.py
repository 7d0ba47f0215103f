"""What /metrics tells: counted while requests pass, written as text only when somebody asks.

The names, labels and buckets are Kubernetes' own (endpoints/metrics, storage/etcd3/metrics). Labels come from what was
asked for, so they are bounded here: a resource gets a label once a request for it has succeeded, and there are never
more than `_MOST_SERIES`. Otherwise anybody could fill the memory with made-up paths.
"""

from __future__ import annotations

import asyncio
import os
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from resource import RLIMIT_NOFILE, getpagesize, getrlimit
from time import perf_counter

from localplane.apiserver.request import Request, RequestInfo

from .exposition import Family, Labels, Sample, histogram_samples, render

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"

Collector = Callable[[], Iterable[Family]]
"""Asked for more families whenever somebody reads the metrics."""

_BUCKETS = (
    *(0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0),
    *(4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0),
)
_MOST_SERIES = 5000
_LABELS = ("verb", "dry_run", "group", "version", "resource", "subresource", "scope")
_COMPONENT = (("component", "apiserver"),)
_VERBS = {"create": "POST", "update": "PUT", "head": "GET"}
_KNOWN_VERBS = frozenset(
    {"APPLY", "CONNECT", "DELETE", "DELETECOLLECTION", "GET", "LIST", "PATCH", "POST", "PROXY", "PUT", "WATCH"}
)
_CONNECTS = frozenset({"log", "exec", "portforward", "attach", "proxy"})
_APPLY = "application/apply-patch+yaml"

_Key = tuple[str, str, str, str, str, str, str]
_Resource = tuple[str, str, str]


class _Series:
    __slots__ = ("buckets", "codes", "open", "seconds")

    def __init__(self) -> None:
        self.codes: dict[int, int] = {}
        self.buckets = [0] * (len(_BUCKETS) + 1)
        self.seconds = 0.0
        self.open = 0

    def observe(self, seconds: float) -> None:
        self.buckets[bisect_left(_BUCKETS, seconds)] += 1
        self.seconds += seconds


class _Events:
    """What was sent to all watches of one resource."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def sent(self, piece: bytes) -> None:
        """A watch sends one line for each event."""
        self.count += piece.count(b"\n")


class Metrics:
    """Recording costs a microsecond or so; it happens on every request."""

    def __init__(self) -> None:
        self._requests: dict[_Key, _Series] = {}
        self._known: set[_Resource] = set()
        self._events: dict[_Resource, _Events] = {}
        self._store: dict[tuple[str, str, str], _Series] = {}
        self._collectors: list[Collector] = []

    def add_collector(self, collector: Collector) -> None:
        """For what is known elsewhere, such as apiserver_storage_objects."""
        self._collectors.append(collector)

    def finished(self, request: Request, status: int, seconds: float) -> None:
        series = self._series(request, status)
        series.codes[status] = series.codes.get(status, 0) + 1
        series.observe(seconds)

    @contextmanager
    def streaming(self, request: Request, status: int, started: float) -> Iterator[_Events]:
        """A request that lasts counts as long-running while it does, and as finished afterwards."""
        series = self._series(request, status)
        series.open += 1
        try:
            yield self._events_of(request.info)
        finally:
            series.open -= 1
            series.codes[status] = series.codes.get(status, 0) + 1
            series.observe(perf_counter() - started)

    def store_request(self, operation: str, group: str, resource: str, seconds: float) -> None:
        """For whoever calls the store: create, get, list, listWithCount, update, delete."""
        series = self._store.get((operation, group, resource))
        if series is None:
            series = self._store[operation, group, resource] = _Series()
        series.observe(seconds)

    def render(self) -> bytes:
        families = [*self._request_families(), self._event_family(), self._store_family()]
        for collector in self._collectors:
            families += collector()
        return render([*families, *process_families()])

    def _series(self, request: Request, status: int) -> _Series:
        info = request.info
        resource = (info.group, info.version, info.resource)
        if resource not in self._known:
            if status < 400 and info.is_resource and len(self._known) < _MOST_SERIES:
                self._known.add(resource)
            else:
                resource = ("", "", "")
        scope = "resource" if info.name or info.verb == "create" else "namespace" if info.namespace else "cluster"
        key = (
            _verb(request),
            ("All" if request.query.get("dryRun") == "All" else "invalid") if "dryRun" in request.query else "",
            *resource,
            info.subresource if resource[2] else "",
            scope if info.is_resource else "",
        )
        series = self._requests.get(key)
        if series is None:
            if len(self._requests) >= _MOST_SERIES:
                key = ("other", "", "", "", "", "", "")
            series = self._requests.setdefault(key, _Series())
        return series

    def _events_of(self, info: RequestInfo) -> _Events:
        resource = (info.group, info.version, info.resource)
        return self._events.setdefault(resource if resource in self._known else ("", "", ""), _Events())

    def _request_families(self) -> Iterator[Family]:
        total = Family("apiserver_request_total", "counter", "Requests by verb, resource, scope and answer.")
        duration = Family("apiserver_request_duration_seconds", "histogram", "How long requests took to answer.")
        lasting = Family("apiserver_longrunning_requests", "gauge", "Watches and other requests that last.")
        for key, series in self._requests.items():
            labels: Labels = (*zip(_LABELS, key, strict=True), *_COMPONENT)
            total.samples += [
                Sample((*labels, ("code", str(code))), count) for code, count in sorted(series.codes.items())
            ]
            duration.samples += histogram_samples(labels, _BUCKETS, series.buckets, series.seconds)
            if series.open:
                lasting.samples.append(Sample(tuple(pair for pair in labels if pair[0] != "dry_run"), series.open))
        return iter((total, duration, lasting))

    def _event_family(self) -> Family:
        family = Family("apiserver_watch_events_total", "counter", "Events sent to watches.")
        for (group, version, resource), events in self._events.items():
            family.add(events.count, group=group, version=version, resource=resource)
        return family

    def _store_family(self) -> Family:
        family = Family("etcd_request_duration_seconds", "histogram", "How long the store took to answer.")
        for (operation, group, resource), series in self._store.items():
            labels = (("operation", operation), ("group", group), ("resource", resource))
            family.samples += histogram_samples(labels, _BUCKETS, series.buckets, series.seconds)
        return family


def _verb(request: Request) -> str:
    """Kubernetes' names for them: HTTP's, with the reads told apart."""
    info = request.info
    if info.subresource in _CONNECTS and info.is_resource:
        return "CONNECT"
    verb = info.verb or request.method.lower()
    if verb == "patch" and request.headers.get("content-type") == _APPLY:
        return "APPLY"
    named = _VERBS.get(verb) or verb.upper()
    return named if named in _KNOWN_VERBS else "other"


# What every Prometheus client tells about its process. Linux knows all of it; elsewhere there is less.

_STAT = Path("/proc/self/stat")
_DESCRIPTORS = Path("/proc/self/fd")


def process_families() -> Iterator[Family]:
    times = os.times()
    yield _single("process_cpu_seconds_total", "counter", "CPU time of this process.", times.user + times.system)
    with suppress(RuntimeError):  # who asks from outside an event loop is told of none
        yield _single("asyncio_tasks", "gauge", "Tasks of the event loop.", len(asyncio.all_tasks()))
    most = getrlimit(RLIMIT_NOFILE)[0]
    yield _single("process_max_fds", "gauge", "How many file descriptors may be open.", most)
    if not _STAT.exists():
        return
    yield _single("process_open_fds", "gauge", "Open file descriptors.", len(os.listdir(_DESCRIPTORS)))  # noqa: PTH208 - only the number is wanted
    # The name of the program may hold spaces and brackets; what follows it does not.
    numbers = _STAT.read_text().rpartition(")")[2].split()
    yield _single("process_resident_memory_bytes", "gauge", "Memory in use.", int(numbers[21]) * getpagesize())
    yield _single("process_virtual_memory_bytes", "gauge", "Memory reserved.", int(numbers[20]))
    booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    started = booted + int(numbers[19]) / os.sysconf("SC_CLK_TCK")
    yield _single("process_start_time_seconds", "gauge", "When this process was started.", round(started, 2))


def _single(name: str, kind: str, text: str, value: float) -> Family:
    family = Family(name, kind, text)
    family.add(value)
    return family
