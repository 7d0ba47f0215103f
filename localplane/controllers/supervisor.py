"""Keeps controllers running: whatever one of them dies of, the others and the server don't notice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta

from localplane.client.backoff import Backoff, BackoffPolicy

from .context import ControllerContext, ControllerSpec

_log = logging.getLogger(__name__)
_RESTART = BackoffPolicy(initial=timedelta(seconds=1), maximum=timedelta(minutes=1), jitter=0.2)


async def run(
    specs: Sequence[ControllerSpec], context: ControllerContext, *, restart: BackoffPolicy = _RESTART
) -> None:
    """Until it is cancelled. One that ends, with an error or without, is started again after a pause that grows."""
    async with asyncio.TaskGroup() as tasks:
        for spec in specs:
            tasks.create_task(_keep_running(spec, context, Backoff(restart)), name=spec.name)


async def _keep_running(spec: ControllerSpec, context: ControllerContext, backoff: Backoff) -> None:
    while True:
        error = await _outcome(spec, context)
        pause = backoff.pause()
        _log.error("%s ended and is started again in %.1f seconds", spec.name, pause.total_seconds(), exc_info=error)
        await asyncio.sleep(pause.total_seconds())


async def _outcome(spec: ControllerSpec, context: ControllerContext) -> BaseException | None:
    """What a controller ended with. It runs in a task of its own, so that its end is a fact and not an exception."""
    running = asyncio.ensure_future(spec.start(context))
    try:
        await asyncio.wait([running])
    finally:
        if not running.done():
            running.cancel()
            await asyncio.wait([running])
    return asyncio.CancelledError() if running.cancelled() else running.exception()
