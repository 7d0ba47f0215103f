"""Requests that nobody needs any more go: an hour after they were issued, denied or failed, a day after they were made
or approved and nothing came of it, and when their certificate is over.

Kubernetes looks at all of them once an hour; here each has its time. Kubernetes: pkg/controller/certificates/cleaner.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from cryptography.x509 import load_pem_x509_certificate

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidTime, parse_time
from localplane.client import WorkQueue, object_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import TryAfter, hearing, work

from .requests import ACCOUNT, REQUESTS, is_issued

_DECIDED: Final = timedelta(hours=1)
_PENDING: Final = timedelta(hours=24)


async def start(context: ControllerContext) -> None:
    client = context.client_of(ACCOUNT).resource(REQUESTS)
    queue = WorkQueue[str]()
    requests = context.informers.informer(REQUESTS)

    async def sync(name: str) -> None:
        request = requests.lister.get(name)
        end = end_of(request) if request is not None else None
        if request is None or end is None:
            return
        left = end - present()
        if left >= timedelta(0):
            raise TryAfter(left + timedelta(seconds=1))
        try:
            await client.delete(name, uid=request["metadata"]["uid"])
        except NotFound:
            return

    await requests.wait_for_sync()
    with hearing(requests, lambda request: queue.add(object_key(request)), deletions=False):
        await work(queue, sync)


def end_of(request: JSONObject) -> datetime | None:
    """When it may go; None if nothing says so."""
    return min(_ends(request), default=None)


def _ends(request: JSONObject) -> Iterator[datetime]:
    conditions = (request.get("status") or {}).get("conditions") or []
    if not conditions:
        yield from _after(request["metadata"].get("creationTimestamp"), _PENDING)
    for condition in conditions:
        kind, since = condition.get("type"), condition.get("lastUpdateTime")
        if kind in ("Denied", "Failed"):
            yield from _after(since, _DECIDED)
        elif kind == "Approved":
            yield from _after(since, _DECIDED if is_issued(request) else _PENDING)
            yield from _expiry(request)


def _after(since: str | None, period: timedelta) -> Iterator[datetime]:
    try:
        yield parse_time(since or "") + period
    except InvalidTime:
        return


def _expiry(request: JSONObject) -> Iterator[datetime]:
    if is_issued(request):
        try:
            yield load_pem_x509_certificate(base64.b64decode(request["status"]["certificate"])).not_valid_after_utc
        except ValueError:
            return
