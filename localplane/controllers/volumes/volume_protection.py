"""A persistent volume stays while it is bound to a claim.

Kubernetes: pkg/controller/volume/pvprotection.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import WorkQueue, object_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import hearing, work

from .claim_users import VOLUMES
from .protection import is_kept, is_unprotected, protect, release

_FINALIZER: Final = "kubernetes.io/pv-protection"


async def start(context: ControllerContext) -> None:
    objects = context.client_of("pv-protection-controller").resource(VOLUMES)
    queue = WorkQueue[str]()
    volumes = context.informers.informer(VOLUMES)

    def hear(volume: JSONObject) -> None:
        if is_kept(volume, _FINALIZER) or is_unprotected(volume, _FINALIZER):
            queue.add(object_key(volume))

    async def sync(name: str) -> None:
        volume = volumes.lister.get(name)
        if volume is None:
            return
        if is_kept(volume, _FINALIZER) and (volume.get("status") or {}).get("phase") != "Bound":
            await release(objects, volume, _FINALIZER)
        elif is_unprotected(volume, _FINALIZER):
            await protect(objects, volume, _FINALIZER)

    await volumes.wait_for_sync()
    with hearing(volumes, hear, deletions=False):
        await work(queue, sync)
