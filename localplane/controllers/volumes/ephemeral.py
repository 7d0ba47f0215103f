"""A pod's generic ephemeral volumes: each gets a claim of the pod's own, which goes with it.

Kubernetes: pkg/controller/volume/ephemeral.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

from localplane.apimachinery.errors import AlreadyExists, APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, Lister, WorkQueue, object_key, split_key
from localplane.client.informers.handlers import HandlerFunctions, deleted_object
from localplane.controllers.context import ControllerContext
from localplane.controllers.events import EventRecorder
from localplane.controllers.ownership import controller_reference, is_controlled_by
from localplane.controllers.pods import PODS, is_terminating
from localplane.controllers.worker import NotYet, hearing, work

from .claim_users import CLAIM_INDEX, CLAIMS, ephemeral_claim_name, index_by_claim

_ACCOUNT: Final = "ephemeral-volume-controller"
_COMPONENT: Final = "ephemeral_volume"


async def start(context: ControllerContext) -> None:
    queue = WorkQueue[str]()
    pods, claims = context.informers.informer(PODS), context.informers.informer(CLAIMS)
    by_claim = index_by_claim(pods)
    events = context.recorder(_ACCOUNT, _COMPONENT)
    controller = _Controller(context.client_of(_ACCOUNT), events, pods=pods.lister, claims=claims.lister)

    def hear(pod: JSONObject) -> None:
        if not is_terminating(pod) and any("ephemeral" in volume for volume in pod["spec"].get("volumes") or ()):
            queue.add(object_key(pod))

    def claim_gone(claim: Any) -> None:
        """Whoever deleted it: the pod still needs one."""
        for pod in by_claim.index(CLAIM_INDEX, object_key(deleted_object(claim))):
            hear(pod)

    await pods.wait_for_sync()
    await claims.wait_for_sync()
    listener = claims.add_handler(HandlerFunctions(delete=claim_gone))
    try:
        with hearing(pods, hear, deletions=False):
            await work(queue, controller.sync, workers=2)
    finally:
        listener.remove()


class _Controller:
    def __init__(self, client: Client, events: EventRecorder, *, pods: Lister, claims: Lister) -> None:
        self._client = client
        self._events = events
        self._pods = pods
        self._claims = claims

    async def sync(self, key: str) -> None:
        namespace, name = split_key(key)
        pod = self._pods.namespaced(namespace).get(name)
        if pod is None or is_terminating(pod):
            return
        for volume in pod["spec"].get("volumes") or ():
            if "ephemeral" in volume:
                await self._sync_volume(pod, volume)

    async def _sync_volume(self, pod: JSONObject, volume: JSONObject) -> None:
        try:
            await self._ensure_claim(pod, volume)
        except NotYet as error:
            self._events.warn(pod, "FailedBinding", f"ephemeral volume {volume['name']}: {error}")
            raise

    async def _ensure_claim(self, pod: JSONObject, volume: JSONObject) -> None:
        """Raises NotYet."""
        namespace, name = pod["metadata"]["namespace"], ephemeral_claim_name(pod, volume)
        claims = self._client.resource(CLAIMS, namespace)
        claim = self._claims.namespaced(namespace).get(name)
        try:
            if claim is None:
                claim = await claims.create(_claim_for(pod, volume))
        except AlreadyExists:  # the informer is late
            claim = await claims.get(name)
        except APIError as error:
            raise NotYet(f"create PVC {name}: {error}") from error
        if not is_controlled_by(claim, pod):
            raise NotYet(f"PVC {namespace}/{name} was not created for pod {object_key(pod)} (pod is not owner)")


def _claim_for(pod: JSONObject, volume: JSONObject) -> JSONObject:
    template = volume["ephemeral"].get("volumeClaimTemplate") or {}
    owner = controller_reference(pod | {"apiVersion": "v1", "kind": "Pod"})
    metadata: JSONObject = {"name": ephemeral_claim_name(pod, volume), "ownerReferences": [owner]}
    for key in ("annotations", "labels"):
        if said := (template.get("metadata") or {}).get(key):
            metadata[key] = deepcopy(said)
    spec = deepcopy(template.get("spec") or {})
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}
