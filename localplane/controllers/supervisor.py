"""Starts controllers when there is something for them to do, and keeps them running: whatever one of them dies of, the
others and the server don't notice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from importlib import import_module

from localplane.apimachinery.clock.waiting import AtWork
from localplane.client.workqueue.rate_limiters import Backoff, BackoffPolicy
from localplane.client.workqueue.supervision import keep_running

from .context import ControllerContext, ControllerSpec
from .worker import first_of

_RESTART = BackoffPolicy(initial=timedelta(seconds=1), maximum=timedelta(minutes=1), jitter=0.2)


Start = Callable[[ControllerContext], Awaitable[None]]


async def load(spec: ControllerSpec) -> Start:
    """What the controller's module starts with. It is imported beside the loop, which has others to serve."""
    module = await asyncio.to_thread(import_module, f"{__package__}.{spec.module}")
    start: Start = module.start
    return start


async def run(
    specs: Sequence[ControllerSpec],
    context: ControllerContext,
    *,
    restart: BackoffPolicy = _RESTART,
    load: Callable[[ControllerSpec], Awaitable[Start]] = load,
) -> None:
    """Until it is cancelled. One that ends, with an error or without, is started again after a pause that grows."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(context.events.run(), name="events")
        for spec in specs:
            start = partial(_start, spec, context, load)
            tasks.create_task(keep_running(spec.name, start, Backoff(restart)), name=spec.name)


async def _start(
    spec: ControllerSpec, context: ControllerContext, load: Callable[[ControllerSpec], Awaitable[Start]]
) -> None:
    if spec.wakes and context.awakened is not None:
        await first_of(context.awakened(wake) for wake in spec.wakes)
    with AtWork(f"the start of {spec.name}"):
        start = await load(spec)
    await start(context)
