"""Work that belongs to the start and the end of a server, by name.

Kubernetes: server/hooks.go. There a failed post-start hook ends the process; here it keeps readyz red, and the log says
why.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from .monitoring.health import HealthCheck, HealthChecks, Unhealthy

_log = logging.getLogger(__name__)


class BackgroundTasks:
    """Tasks that live as long as the server: it started them, and it ends them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def run(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """A task that fails is logged and stays dead; whoever must go on after failures sees to it himself."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    async def end(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("%s failed", task.get_name(), exc_info=error)


@dataclass(frozen=True, slots=True)
class PostStartContext:
    """`background` is for what goes on after the hook has returned, such as a controller. `url` reaches this server."""

    url: str
    background: BackgroundTasks


PostStartHook = Callable[[PostStartContext], Awaitable[None]]
"""Runs once the server listens, together with all others. readyz is red until it has returned, and for ever if it
raises."""

PreShutdownHook = Callable[[], Awaitable[None]]
"""Runs when the stop begins, while requests are still served, so it may call the API. What it raises is logged."""


class PostStartHooks:
    def __init__(self, checks: HealthChecks) -> None:
        self._checks = checks
        self._hooks: dict[str, PostStartHook] = {}
        self._waiting: dict[str, str] = {}
        self._called = False

    def add(self, name: str, hook: PostStartHook) -> None:
        if self._called:
            raise RuntimeError(f"post-start hook {name} comes too late: the others have been called")
        if name in self._hooks:
            raise ValueError(f"there are two post-start hooks named {name}")
        self._hooks[name] = hook
        self._waiting[name] = "not finished"
        self._checks.add(HealthCheck(f"poststarthook/{name}", lambda: self._check(name)))

    def add_name(self, check: str, name: str) -> None:
        """A health check more that tells of the same hook: others know its work under several names."""
        self._checks.add(HealthCheck(check, lambda: self._check(name)))

    def run(self, context: PostStartContext) -> None:
        self._called = True
        for name, hook in self._hooks.items():
            task = context.background.run(f"post-start hook {name}", _called(hook, context))
            task.add_done_callback(partial(self._returned, name))

    def _returned(self, name: str, task: asyncio.Task[None]) -> None:
        if task.cancelled():
            self._waiting[name] = "cancelled"
        elif task.exception() is not None:
            self._waiting[name] = f"failed: {task.exception()}"
        else:
            del self._waiting[name]

    async def _check(self, name: str) -> None:
        if name in self._waiting:
            raise Unhealthy(self._waiting[name])


class PreShutdownHooks:
    def __init__(self) -> None:
        self._hooks: dict[str, PreShutdownHook] = {}

    def add(self, name: str, hook: PreShutdownHook) -> None:
        if name in self._hooks:
            raise ValueError(f"there are two pre-shutdown hooks named {name}")
        self._hooks[name] = hook

    async def run(self, *, within: timedelta) -> None:
        """One after the other; all of them together get `within`."""
        deadline = asyncio.get_running_loop().time() + within.total_seconds()
        background = BackgroundTasks()
        try:
            for name, hook in self._hooks.items():
                task = background.run(f"pre-shutdown hook {name}", _called(hook))
                done, _ = await asyncio.wait([task], timeout=max(0.0, deadline - asyncio.get_running_loop().time()))
                if not done:
                    _log.error("pre-shutdown hook %s took too long and was given up", name)
        finally:
            await background.end()


async def _called(hook: Callable[..., Awaitable[None]], *arguments: object) -> None:
    """Called inside the task, so that a hook which raises before it awaits anything fails like any other."""
    await hook(*arguments)
