"""A claim stays while a pod uses it. A bound one says whether any pod does: its condition Unused.

Kubernetes: pkg/controller/volume/pvcprotection.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.client import (
    Client,
    HandlerFunctions,
    Indexer,
    Lister,
    WorkQueue,
    deleted_object,
    object_key,
    split_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.pods import PODS, condition, is_terminating
from localplane.controllers.worker import hearing, work

from .claim_users import (
    CLAIM_INDEX,
    CLAIMS,
    claim_keys,
    index_by_claim,
    is_made_for,
    names_claim,
    unfinished_users,
    uses,
)
from .protection import is_kept, is_unprotected, protect, release

_FINALIZER: Final = "kubernetes.io/pvc-protection"
_UNUSED: Final = "Unused"


async def start(context: ControllerContext) -> None:
    client = context.client_of("pvc-protection-controller")
    pods, claims = context.informers.informer(PODS), context.informers.informer(CLAIMS)
    controller = _Controller(client, claims.lister, index_by_claim(pods))

    def hear(claim: JSONObject) -> None:
        if is_kept(claim, _FINALIZER) or is_unprotected(claim, _FINALIZER) or condition(claim, _UNUSED) is None:
            controller.look_at(object_key(claim))

    await pods.wait_for_sync()
    await claims.wait_for_sync()
    listener = pods.add_handler(_users(controller))
    try:
        with hearing(claims, hear, deletions=False):
            await work(controller.queue, controller.sync)
    finally:
        listener.remove()


def _users(controller: _Controller) -> HandlerFunctions:
    """Hears of the claims whose users come, change or go. A pod may be replaced by one of the same name that has other
    claims."""

    def add(pod: JSONObject) -> None:
        for key in claim_keys(pod):
            controller.look_at(key)

    def update(old: JSONObject, new: JSONObject) -> None:
        add(new)
        if old["metadata"]["uid"] != new["metadata"]["uid"]:
            add(old)

    return HandlerFunctions(add=add, update=update, delete=lambda pod: add(deleted_object(pod)))


class _Controller:
    """Works on namespaces, so that the pods of one are listed once for all its claims that are to go."""

    def __init__(self, client: Client, claims: Lister, pods: Indexer) -> None:
        self.queue = WorkQueue[str]()
        self._client = client
        self._claims = claims
        self._pods = pods
        self._waiting: dict[str, set[str]] = {}

    def look_at(self, key: str) -> None:
        namespace, name = split_key(key)
        self._waiting.setdefault(namespace, set()).add(name)
        self.queue.add(namespace)

    async def sync(self, namespace: str) -> None:
        names = self._waiting.pop(namespace, set())
        keepers = _Keepers(self._client, self._pods, namespace)
        refused: set[str] = set()
        refusal: APIError | None = None
        try:
            while names:
                name = names.pop()
                refused.add(name)
                claim = self._claims.namespaced(namespace).get(name)
                try:
                    if claim is not None:
                        await self._sync(claim, keepers)
                    refused.discard(name)
                except APIError as error:
                    refusal = error
        finally:
            if left := names | refused:
                self._waiting.setdefault(namespace, set()).update(left)
        if refusal is not None:
            raise refusal

    async def _sync(self, claim: JSONObject, keepers: _Keepers) -> None:
        claims = self._client.resource(CLAIMS, claim["metadata"]["namespace"])
        if not is_terminating(claim) and (claim.get("status") or {}).get("phase") == "Bound":
            claim = await self._tell_use(claim)
        if is_kept(claim, _FINALIZER):
            if not await keepers.keep(claim):
                await release(claims, claim, _FINALIZER)
        elif is_unprotected(claim, _FINALIZER):
            await protect(claims, claim, _FINALIZER)

    async def _tell_use(self, claim: JSONObject) -> JSONObject:
        """The claim as it is then."""
        said = condition(claim, _UNUSED)
        is_used = any(uses(pod, claim) for pod in unfinished_users(self._pods, object_key(claim)))
        status = "False" if is_used else "True"
        if said is not None and said.get("status") == status:
            return claim
        told = {
            "type": _UNUSED,
            "status": status,
            "lastTransitionTime": now(),
            "reason": "PodUsingPVC" if is_used else "NoPodsUsingPVC",
            "message": f"{'A pod is' if is_used else 'No pods are'} currently referencing this PVC",
        }
        changed = deepcopy(claim)
        others = [each for each in changed["status"].get("conditions") or () if each["type"] != _UNUSED]
        changed["status"]["conditions"] = [*others, told]
        return await self._client.resource(CLAIMS, claim["metadata"]["namespace"]).update(changed, subresource="status")


class _Keepers:
    """The pods of a namespace that keep claims. The informer may be late: that nobody keeps one is believed only to
    the server, which is asked once."""

    def __init__(self, client: Client, pods: Indexer, namespace: str) -> None:
        self._objects = client.resource(PODS, namespace)
        self._pods = pods
        self._live: list[JSONObject] | None = None

    async def keep(self, claim: JSONObject) -> bool:
        if any(_keeps(pod, claim) for pod in self._pods.index(CLAIM_INDEX, object_key(claim))):
            return True
        if self._live is None:
            self._live = [pod for pod in (await self._objects.list())["items"] if claim_keys(pod)]
        return any(_keeps(pod, claim) for pod in self._live)


def _keeps(pod: JSONObject, claim: JSONObject) -> bool:
    """A kubelet has the pod, which it would not start with a claim that is to go. A pod that is only waiting to be
    removed needs no volume that was made for it, or both would wait for each other."""
    if not pod["spec"].get("nodeName"):
        return False
    is_shut_down = is_terminating(pod) and pod["metadata"].get("deletionGracePeriodSeconds") == 0
    return any(
        names_claim(volume, claim) or (not is_shut_down and is_made_for(volume, pod, claim))
        for volume in pod["spec"].get("volumes") or ()
    )
