"""persistentvolume-expander-controller: says of a claim that asks for more that somebody else is to give it.

There is no kind of volume left that Kubernetes makes larger itself. Kubernetes: pkg/controller/volume/expand.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import WorkQueue, object_key, split_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import NotYet, hearing, work

from .claim_users import CLAIMS, VOLUMES
from .volume_choice import wants_more

_ACCOUNT: Final = "expand-controller"
_COMPONENT: Final = "volume_expand"


async def start(context: ControllerContext) -> None:
    queue = WorkQueue[str]()
    events = context.recorder(_ACCOUNT, _COMPONENT)
    claims, volumes = context.informers.informer(CLAIMS), context.informers.informer(VOLUMES)

    def hear(claim: JSONObject) -> None:
        if wants_more(claim):
            queue.add(object_key(claim))

    async def sync(key: str) -> None:
        namespace, name = split_key(key)
        claim = claims.lister.namespaced(namespace).get(name)
        if claim is None or not wants_more(claim):
            return
        volume = volumes.lister.get(claim["spec"].get("volumeName", ""))
        reference = (volume or {"spec": {}})["spec"].get("claimRef") or {}
        if reference.get("uid") != claim["metadata"]["uid"]:
            raise NotYet(f"persistent Volume is not bound to PVC being updated : {key}")
        events.normal(claim, "ExternalExpanding", "waiting for an external controller to expand this PVC")

    await claims.wait_for_sync()
    await volumes.wait_for_sync()
    with hearing(claims, hear, deletions=False):
        await work(queue, sync)
