"""Until an object is gone, or another has its name. Kubernetes: kubectl/pkg/cmd/wait/delete.go, IsDeleted."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from kctl.errors import KctlError

if TYPE_CHECKING:
    from kctl.resolve import Info

_FOREVER = 168 * 3600.0
_LONGEST_WATCH = 300.0
_PAUSE = 1.0


async def wait_until_gone(info: Info, seconds: float, *, uid: str = "") -> None:
    """Zero is a week. With `uid`, an object with another one counts as gone. Raises KctlError."""
    from datetime import timedelta

    from localplane.apimachinery.errors import Expired, NotFound
    from localplane.client.errors import ConnectionLost
    from localplane.client.options import ListOptions

    end = time.monotonic() + (seconds or _FOREVER)
    while True:
        try:
            current = await info.resource.get(info.name)
        except NotFound:
            return
        metadata = current.get("metadata") or {}
        if uid and metadata.get("uid") != uid:
            return
        left = end - time.monotonic()
        if left <= 0:
            raise KctlError(f"timed out waiting for the condition on {info.shown}")
        options = ListOptions(
            field_selector=f"metadata.name={info.name}",
            resource_version=str(metadata.get("resourceVersion", "")),
            timeout=timedelta(seconds=max(1, round(min(left, _LONGEST_WATCH)))),
        )
        try:
            async with info.resource.watch(options) as events:
                async for event in events:
                    if event.type == "DELETED":
                        return
        except (ConnectionLost, Expired):
            continue


async def poll_until_gone(info: Info, seconds: float) -> None:
    """Looks once, and then every second as long as there is time. Raises KctlError.

    Kubernetes: wait.PollUntilContextTimeout, where something is put in the place of what is gone.
    """
    from localplane.apimachinery.errors import NotFound
    from localplane.client.driving import sleep

    end = time.monotonic() + seconds
    while True:
        try:
            await info.resource.get(info.name)
        except NotFound:
            return
        if time.monotonic() + _PAUSE > end:
            await sleep(max(0.0, end - time.monotonic()))
            raise KctlError("context deadline exceeded")
        await sleep(_PAUSE)
