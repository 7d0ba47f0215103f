"""Keeps controllers running: whatever one of them dies of, the others and the server don't notice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from localplane.client.backoff import Backoff, BackoffPolicy
from localplane.client.faults import keep_running

from .context import ControllerContext, ControllerSpec

_RESTART = BackoffPolicy(initial=timedelta(seconds=1), maximum=timedelta(minutes=1), jitter=0.2)


async def run(
    specs: Sequence[ControllerSpec], context: ControllerContext, *, restart: BackoffPolicy = _RESTART
) -> None:
    """Until it is cancelled. One that ends, with an error or without, is started again after a pause that grows."""
    async with asyncio.TaskGroup() as tasks:
        for spec in specs:
            start = partial(spec.start, context)
            tasks.create_task(keep_running(spec.name, start, Backoff(restart)), name=spec.name)
