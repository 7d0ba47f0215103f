"""`up`: everything that can be wrong is looked at first, then the plane is started, here or in the background."""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import os
import signal
import ssl
import sys
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from localplane.apiserver.long_work import THREAD_SWITCH_SECONDS

from .command import CommandRun
from .context import Left, current_context
from .daemon import Terminal, detach
from .down import sweep
from .errors import AlreadyUp, PlaneError
from .logs import FILE_ONLY, leave_log, start_logging
from .manifests.reader import Manifest, read_manifests
from .options import UpOptions
from .places import places
from .report import StartReport, print_report, print_stopped
from .run_file import READY, Claim, RunRecord, record_of_this_process, running
from .signals import handling
from .snapshots import load

if TYPE_CHECKING:
    from .plane import RunningPlane

Report = Callable[[StartReport], None]

_INTERRUPTED = 128 + signal.SIGINT


@dataclass(frozen=True, slots=True)
class _Start:
    """`began` is when the command did, for the report."""

    options: UpOptions
    manifests: Sequence[Manifest]
    began: float
    command: CommandRun | None = None


def up(options: UpOptions, *, quiet: bool = False) -> int:
    """Start a plane. Returns the exit code: when it has stopped, or, if it is detached, when it is ready."""
    began = time.perf_counter()
    options = options.checked()
    command = CommandRun(options.command) if options.command else None
    manifests = read_manifests((*map(str, options.crds), *options.filenames))
    if options.begin_from:
        options = _with_snapshot(options)
    start = _Start(options, manifests, began, command)
    quiet = quiet or command is not None  # what is printed is the command's
    report = _silence if quiet else print_report
    sweep(besides=options.name)
    if options.detach:
        record = running(options.name)
        return _up_already(record, options) if record else _detached(start, report)
    befores: list[str] = []

    def ready(started: StartReport) -> None:
        befores.append(started.before if started.switched else "")
        report(started)

    with _claimed(options) as claim:
        code = _until_its_end(start, claim, ready)
    if not quiet:
        before = befores[0] if befores else ""
        print_stopped(options, Left(current_context(options.kubeconfig) if before else "", before))
    return code


def _with_snapshot(options: UpOptions) -> UpOptions:
    """Read now, so that a plane that is detached needs neither stdin nor the directory. Raises PlaneError."""
    if running(options.name) is not None:
        raise PlaneError(
            f'plane "{options.name}" is up already, and --from is for a new one: '
            "put it back with `kctl snapshot restore`, or choose another --name"
        )
    storage = replace(options.storage, begin_with=load(options.begin_from))
    return replace(options, cluster=replace(options.cluster, storage=storage))


def _silence(_: StartReport) -> None:
    """For process managers, who have a log of their own."""


def _claimed(options: UpOptions) -> Claim:
    os.umask(0o077)
    claim = Claim.take(options.name)
    claim.write(record_of_this_process(options.name))
    on_terminal = not options.detach and (options.verbose or not options.command)
    start_logging(claim.places.log, on_terminal=on_terminal, verbose=options.verbose)
    return claim


def _until_its_end(start: _Start, claim: Claim, report: Report) -> int:
    """The log of a plane that keeps nothing goes when it has ended, unless it is the only one who can tell why."""
    options = start.options
    code = 1
    try:
        code = _on_fast_loop(_serve(start, claim, report))
    finally:
        if options.command:
            leave_log(claim.places, file=options.log_file, shown=code not in (0, _INTERRUPTED))
        if options.keeps_nothing and not (code and options.detach):
            claim.vanish()
    return code


def _on_fast_loop(work: Coroutine[Any, Any, int]) -> int:
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    if sys.platform == "win32":
        return asyncio.run(work)
    import uvloop

    return uvloop.run(work)


async def _serve(start: _Start, claim: Claim, report: Report) -> int:
    lifetime = _Lifetime(start.options, start.command)
    signals = handling(
        stop=lifetime.stop,
        empty=lifetime.empty,
        ignore_hangup=start.options.detach,
        pass_on=start.command.pass_on if start.command else None,
    )
    with signals:
        # The server is imported here: until now there was nothing that needed it. A signal that comes meanwhile is
        # heard afterwards, and cancels the start. What is made from here until it is ready is there to stay: to look
        # for garbage in it would take a tenth of the time.
        gc.disable()
        import_aiohttp()
        from localplane.apiserver.server.monitoring.garbage import ShortWalks

        from .plane import RunningPlane

        def ready(started: StartReport) -> None:
            ShortWalks().start()
            lifetime.begin(started.record)
            report(started)

        plane = RunningPlane(start.options, claim, start.manifests, ready=ready, began=start.began)
        await lifetime.of(plane)
    claim.forget()
    return lifetime.exit_code()


def import_aiohttp() -> None:
    """Without the machine's certificate authorities, which it reads twice, for contexts that are for everybody: where
    they are one file that takes a tenth of a start. Whatever a plane asks others has a context of its own; by aiohttp's
    nobody would be trusted. This is for a process that is ours alone."""
    reading = ssl.SSLContext.set_default_verify_paths
    ssl.SSLContext.set_default_verify_paths = lambda _: None  # type: ignore[method-assign, assignment]  # for a moment
    try:
        importlib.import_module("aiohttp")
    finally:
        ssl.SSLContext.set_default_verify_paths = reading  # type: ignore[method-assign]  # as it was


class _Lifetime:
    """Who may end a plane, before it is ready and afterwards, and what comes of it."""

    def __init__(self, options: UpOptions, command: CommandRun | None) -> None:
        self._options = options
        self._command = command
        self._plane: RunningPlane | None = None
        self._work: asyncio.Future[None] | None = None
        self._signal: signal.Signals | None = None

    async def of(self, plane: RunningPlane) -> None:
        """Until it has ended, in whatever way."""
        self._plane = plane
        self._work = asyncio.ensure_future(plane.run())
        timer = asyncio.get_running_loop().call_later(self._options.timeout.total_seconds(), self._give_up)
        await asyncio.wait([self._work])
        timer.cancel()
        if self._command is not None:
            await self._command.end()

    def begin(self, record: RunRecord) -> None:
        """What the plane was started for, now that it is ready."""
        if self._command is not None and self._plane is not None:
            self._command.start(record.kubeconfig, ended=self._plane.stop)

    def stop(self, number: signal.Signals) -> None:
        self._signal = number
        logging.getLogger(FILE_ONLY).info("stopping: %s", number.name)
        if self._plane is not None and self._plane.is_ready:
            self._plane.stop()
        elif self._work is not None:
            self._work.cancel()

    def empty(self) -> None:
        if self._plane is not None:
            self._plane.empty()

    def exit_code(self) -> int:
        """Raises what the plane ended with."""
        assert self._work is not None, "it has ended"
        if not self._work.cancelled():
            self._work.result()
            return (self._command.exit_code if self._command is not None else 0) or 0
        if self._signal is not None:
            return 128 + self._signal
        raise PlaneError(f"{self._options.name} was not ready within {self._options.timeout.total_seconds():g} seconds")

    def _give_up(self) -> None:
        if self._plane is not None and self._work is not None and not self._plane.is_ready:
            self._work.cancel()


def _up_already(record: RunRecord, options: UpOptions) -> int:
    """It keeps the flags that it was started with. Whoever starts it twice at once is told the same, a moment later."""
    if options.wait:
        record = _ready_record(record, options.timeout)
    sys.stdout.write(f"{record.name} is up already at {record.url} (process {record.pid}, context {record.context})\n")
    return 0


def _ready_record(record: RunRecord, timeout: timedelta) -> RunRecord:
    give_up = time.monotonic() + timeout.total_seconds()
    while record.phase != READY:
        if time.monotonic() > give_up:
            raise PlaneError(f"{record.name} is not ready: see `kctl status --name {record.name} --logs`")
        time.sleep(0.05)
        now = running(record.name)
        if now is None:
            raise PlaneError(f"{record.name} ended while it was waited for: see its log {places(record.name).log}")
        record = now
    return record


def _detached(start: _Start, report: Report) -> int:
    """In the process that goes on, the exit code of the command; in the one that stays, of the plane."""
    match detach(start.options.name):
        case int() as code:
            return code
        case terminal:
            return _in_background(start, report, terminal)


def _in_background(start: _Start, report: Report, terminal: Terminal) -> int:
    options = start.options
    try:
        claim = _claimed(options)
    except AlreadyUp:
        # Somebody else was faster by a moment.
        if (record := running(options.name)) is None:
            raise
        return _up_already(record, options)

    def ready(started: StartReport) -> None:
        if terminal.is_held:
            report(started)
            terminal.let_go(claim.places.log)

    with claim:
        if not options.wait:
            sys.stdout.write(f"{options.name} is starting: see `kctl status --name {options.name}`\n")
            terminal.let_go(claim.places.log)
        return _until_its_end(start, claim, ready)
