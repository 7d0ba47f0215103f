"""A controller beside a cluster, with options of a test's own."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any

from localplane.client import SharedInformerFactory
from localplane.client.workqueue.supervision import Background
from localplane.controllers.context import ControllerContext
from tests.integration.life.world import World


@contextlib.asynccontextmanager
async def running(
    world: World, *starts: Callable[[ControllerContext], Coroutine[Any, Any, None]]
) -> AsyncIterator[ControllerContext]:
    """Until the block ends; one that fails ends it."""
    informers = SharedInformerFactory(world.client)
    context = ControllerContext(world.client, informers)
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(Background(informers.run))
        await stack.enter_async_context(Background(context.events.run))
        for start in starts:
            await stack.enter_async_context(Background(partial(start, context)))
        yield context
