"""Watch: a stream that ends when its time is over, when the client goes, or when it can't keep up."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

from localplane.apiserver.endpoints.options.list_options import list_options
from localplane.apiserver.endpoints.representation.negotiation import negotiated, negotiated_stream
from localplane.apiserver.endpoints.representation.watch_events import lines
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.faults.table import FAULTY_WATCH
from localplane.apiserver.registry.rest import Watcher
from localplane.apiserver.request import Answer, Request, StreamResponse

# Without a wish of the client's a watch lives between half an hour and an hour, so that not all end together.
_SHORTEST_SECONDS = 1800.0


async def watch(served: Served, storage: Watcher, request: Request) -> Answer:
    negotiated(served, request, collection=True)
    options = list_options(served, request, watch=True)
    target = negotiated_stream(served, request)
    seconds = options.timeout_seconds or _SHORTEST_SECONDS * (1 + random.random())  # noqa: S311 - spreads load
    until = asyncio.get_running_loop().time() + seconds
    source = await storage.watch(request, replace(options, timeout_seconds=seconds))
    if (faulty := request.notes.get(FAULTY_WATCH)) is not None:
        source = faulty(source)
    return StreamResponse(
        lines(served, source, target, request.work, until=until), source.stop, content_type=target.stream_type
    )
