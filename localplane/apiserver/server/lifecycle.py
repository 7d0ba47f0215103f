"""GenericServer: a server's life from options to the last byte.

    options -> configure -> ServerConfig -> GenericServer -> `async with server:` or `await server.run()`

The stop, in Kubernetes' order (genericapiserver.go, RunWithContext):

    SERVING     a signal, or request_stop
    STOPPING    readyz is red; pre-shutdown hooks run while the shutdown delay passes, and everything is still served
    REFUSING    no new connections; a new request on an open one gets 503 and Retry-After, health and metrics excepted
                requests in flight finish, then streams are ended as if there was nothing more to say
    STOPPED     what is left is cut

Each step is bounded by `shutdown_timeout`. A second signal ends the process at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from enum import Enum
from types import TracebackType
from typing import Self

from localplane.apiserver.endpoints.filters.shutdown import Shutdown
from localplane.apiserver.endpoints.filters.unfinished_writes import UnfinishedWrites
from localplane.apiserver.long_work import LongWork
from localplane.apiserver.request import Filter
from localplane.apiserver.request_log import Ring

from .chain import wrapped
from .config import ServerConfig
from .dispatch import Router, dispatch
from .hooks import BackgroundTasks, PostStartContext, PostStartHook, PostStartHooks, PreShutdownHook, PreShutdownHooks
from .http.http_server import HTTPServer
from .listener import open_sockets
from .monitoring.exposition import Family
from .monitoring.health import HealthCheck, HealthChecks, Unhealthy, informer_sync, log, ping
from .monitoring.loop_watch import LoopWatch
from .monitoring.metrics import Metrics
from .paths import HealthPaths, NonResourcePaths, add_health_metrics, add_metrics, add_status, add_version
from .signals import stop_on_signals

_log = logging.getLogger(__name__)


class Phase(Enum):
    NEW = "new"
    SERVING = "serving"
    STOPPING = "stopping"
    REFUSING = "refusing"
    STOPPED = "stopped"


class GenericServer:
    """What every API server has; resources come with `routers`.

    `filters` stand in the order in which a request meets them (`chain.REQUEST_PATH`). `checks` are the storage's, and
    count for livez, readyz and healthz alike. `unsynced` names informers that have not seen everything yet, `shutdown`
    is where the filter of that name learns that requests are refused, and `unfinished_writes` is what the deadline
    filter leaves behind: the stop waits for it. `work` is where requests have done what takes long, and `ring` where it
    is noted what came of them.
    Routers, hooks, checks and paths may be added until it is started.
    """

    def __init__(
        self,
        config: ServerConfig,
        *,
        filters: Sequence[Filter] = (),
        routers: Iterable[Router] = (),
        checks: Iterable[HealthCheck] = (),
        unsynced: Callable[[], Collection[str]] = tuple,
        metrics: Metrics | None = None,
        shutdown: Shutdown | None = None,
        unfinished_writes: UnfinishedWrites | None = None,
        work: LongWork | None = None,
        ring: Ring | None = None,
    ) -> None:
        self._config = config
        self._work = work or LongWork()
        self._loop_watch = LoopWatch()
        self.phase = Phase.NEW
        self.metrics = metrics or Metrics()
        self._shutdown = shutdown or Shutdown()
        self._unfinished_writes = unfinished_writes or UnfinishedWrites()
        self.background = BackgroundTasks()
        self.checks = HealthChecks()
        for check in (HealthCheck("ping", ping), HealthCheck("log", log), *checks):
            self.checks.add(check)
        self.checks.add_readiness(informer_sync(unsynced))
        self.paths = NonResourcePaths()
        self._post_start = PostStartHooks(self.checks)
        self._pre_shutdown = PreShutdownHooks()
        self._uninstalled: set[str] = set()
        self._stop_requested = asyncio.Event()
        self._stopped: asyncio.Task[None] | None = None
        self.port = 0
        self._routers = [self._own_paths(), HealthPaths(self.checks).route, *routers]
        self.http = HTTPServer(
            wrapped(filters, dispatch(self._routers, complete=lambda: not self._uninstalled)),
            metrics=self.metrics,
            limits=config.limits,
            tls=config.tls,
            work=self._work,
            watch=self._loop_watch,
            ring=ring,
        )
        self.metrics.add_collector(self._in_flight)
        self.metrics.add_collector(self._loop_watch.families)

    def _own_paths(self) -> Router:
        add_version(self.paths)
        add_status(self.paths, datetime.now(UTC))
        add_metrics(self.paths, self.metrics)
        add_health_metrics(self.paths, self.checks)
        self.paths.list_also(HealthPaths(self.checks).listed)
        return self.paths.route

    # --- before the start ---

    def add_router(self, router: Router) -> None:
        """Asked after those that were added before it."""
        self._routers.append(router)

    def add_post_start_hook(self, name: str, hook: PostStartHook) -> None:
        self._post_start.add(name, hook)

    def name_post_start_hook(self, check: str, name: str) -> None:
        """Let a health check called `check` tell whether that hook is done, too."""
        self._post_start.add_name(check, name)

    def add_pre_shutdown_hook(self, name: str, hook: PreShutdownHook) -> None:
        self._pre_shutdown.add(name, hook)

    def expect_paths(self, name: str) -> Callable[[], None]:
        """Until the function that is returned has been called, an unknown path is answered with 503, not 404."""
        if name in self._uninstalled:
            raise ValueError(f"paths named {name} are expected twice")
        self._uninstalled.add(name)
        return lambda: self._uninstalled.discard(name)

    # --- running ---

    @property
    def addresses(self) -> Sequence[str]:
        return self._config.addresses

    @property
    def url(self) -> str:
        address = self._config.addresses[0]
        host = f"[{address}]" if ":" in address else address
        return f"{'https' if self._config.tls else 'http'}://{host}:{self.port}"

    async def start(self) -> None:
        """Listens when it returns; whether it is ready, readyz tells."""
        self.checks.add_readiness(HealthCheck("shutdown", self._check_shutdown))
        sockets = open_sockets(self._config.addresses, self._config.port)
        self.port = sockets[0].getsockname()[1]
        self.http.start(sockets)
        if self._config.watches_loop:
            self._loop_watch.start()
        self.phase = Phase.SERVING
        if self._config.tls is not None:
            self.background.run("following the serving certificate", self._config.tls.follow_files())
        self._post_start.run(PostStartContext(self.url, self.background))

    def request_stop(self) -> None:
        """Begins the stop; `stop` or `run` sees it through."""
        self._stop_requested.set()
        if self.phase is Phase.SERVING:
            self.phase = Phase.STOPPING

    async def stop(self) -> None:
        """The whole stop; whoever calls it meanwhile waits for the same one."""
        if self._stopped is None:
            self._stopped = asyncio.get_running_loop().create_task(self._stop(), name="stopping")
        await asyncio.shield(self._stopped)

    async def run(self, *, started: Callable[[], None] = lambda: None) -> None:
        """Serve until SIGTERM or SIGINT. `started` is called once it listens."""
        with stop_on_signals(self.request_stop):
            async with self:
                started()
                await self._stop_requested.wait()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.stop()

    async def _stop(self) -> None:
        self.request_stop()
        timeout = self._config.shutdown_timeout
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(self._config.shutdown_delay.total_seconds()))
            group.create_task(self._pre_shutdown.run(within=timeout))
        self.phase = Phase.REFUSING
        self._shutdown.refuses = True
        self.http.stop_listening()
        await _within(timeout.total_seconds(), self.http.drained(), "requests in flight")
        await _within(timeout.total_seconds(), self._unfinished_writes.finished(), "writes whose clients left")
        self.http.streams.end_all()
        await _within(timeout.total_seconds(), self.http.streams.all_ended(), "streams")
        await self.http.close()
        await self.background.end()
        self._work.close()
        self._loop_watch.stop()
        self.phase = Phase.STOPPED

    async def _check_shutdown(self) -> None:
        if self.phase is not Phase.SERVING:
            raise Unhealthy("process is shutting down")

    def _in_flight(self) -> Iterable[Family]:
        family = Family(
            "apiserver_current_inflight_requests", "gauge", "Requests being answered, without those that last."
        )
        for kind, number in self.http.active.items():
            family.add(number, request_kind=kind)
        return [family]


async def _within(seconds: float, work: Awaitable[None], what: str) -> None:
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        _log.warning("%s did not end in %g s and are cut", what, seconds)
