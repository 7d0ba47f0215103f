"""Requests of pods for certificates go after a quarter of an hour: whatever was to come of them has come by then.

Kubernetes: pkg/controller/certificates/cleaner/pcrcleaner.go.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.times import parse_time
from localplane.client import GroupVersionResource, WorkQueue, object_key, split_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import TryAfter, hearing, work

_REQUESTS: Final = GroupVersionResource("certificates.k8s.io", "v1", "podcertificaterequests")
_KEPT: Final = timedelta(minutes=15)


async def start(context: ControllerContext) -> None:
    await clean(context, _KEPT)


async def clean(context: ControllerContext, kept: timedelta) -> None:
    """Until it is cancelled. `kept` is how old a request may become."""
    client = context.client_of("podcertificaterequestcleaner")
    queue = WorkQueue[str]()
    requests = context.informers.informer(_REQUESTS)

    async def sync(key: str) -> None:
        namespace, name = split_key(key)
        request = requests.lister.namespaced(namespace).get(name)
        if request is None:
            return
        left = parse_time(request["metadata"]["creationTimestamp"]) + kept - present()
        if left > timedelta(0):
            raise TryAfter(left)
        try:
            await client.resource(_REQUESTS, namespace).delete(name, uid=request["metadata"]["uid"])
        except NotFound:
            return

    await requests.wait_for_sync()
    with hearing(requests, lambda request: queue.add(object_key(request)), deletions=False):
        await work(queue, sync)
