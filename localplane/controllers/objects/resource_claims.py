"""Pods get the resource claims that they ask for by template, and claims are given back when their pods have ended.

What is in a claim is the scheduler's business; a pod that was bound past it has its claims reserved here. Kubernetes:
pkg/controller/resourceclaim.
"""

from __future__ import annotations

from contextlib import ExitStack
from copy import deepcopy
from typing import Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import (
    GroupVersionResource,
    HandlerFunctions,
    PatchType,
    WorkQueue,
    deleted_object,
    object_key,
    split_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.ownership import CONTROLLER_INDEX, controller_of, index_by_controller, is_controlled_by
from localplane.controllers.pods import PODS, is_terminal, is_terminating
from localplane.controllers.worker import NotYet, hearing, work

_CLAIMS: Final = GroupVersionResource("resource.k8s.io", "v1", "resourceclaims")
_TEMPLATES: Final = GroupVersionResource("resource.k8s.io", "v1", "resourceclaimtemplates")
_ACCOUNT: Final = "resource-claim-controller"
_COMPONENT: Final = "resource_claim"
_FIELD_MANAGER: Final = "ResourceClaimController"
_FINALIZER: Final = "resource.kubernetes.io/delete-protection"
_CLAIM_NAME: Final = "resource.kubernetes.io/pod-claim-name"
_CLAIM_INDEX: Final = "resource-claim"
_TEMPLATE_INDEX: Final = "resource-claim-template"
_POD, _CLAIM = "pod:", "claim:"
_CONSUMERS_MAX: Final = 256
_PREFIX_MAX: Final = 57
"""So that a hyphen and five random characters make a name of 63."""


async def start(context: ControllerContext) -> None:
    await _Controller(context).run()


class _Controller:
    def __init__(self, context: ControllerContext) -> None:
        self._client = context.client_of(_ACCOUNT)
        self._events = context.recorder(_ACCOUNT, _COMPONENT)
        self._pods = context.informers.informer(PODS)
        self._claims = context.informers.informer(_CLAIMS)
        self._templates = context.informers.informer(_TEMPLATES)
        self._queue = WorkQueue[str]()
        self._made: dict[str, dict[str, str]] = {}  # by a pod's uid, until its status tells: claims of its own
        index_by_controller(self._claims)
        for name, keys in ((_CLAIM_INDEX, _claim_keys), (_TEMPLATE_INDEX, _template_keys)):
            if not self._pods.indexer.has_index(name):
                self._pods.indexer.add_indexers({name: keys})

    async def run(self) -> None:
        """Until it is cancelled."""
        for informer in (self._pods, self._claims, self._templates):
            await informer.wait_for_sync()
        pods = HandlerFunctions(
            add=self._hear_pod,
            update=lambda _, pod: self._hear_pod(pod),
            delete=lambda pod: self._pod_gone(deleted_object(pod)),
        )
        with ExitStack() as listeners:
            listeners.callback(self._pods.add_handler(pods).remove)
            listeners.enter_context(hearing(self._claims, self._hear_claim))
            listeners.enter_context(hearing(self._templates, self._hear_template, deletions=False))
            await work(self._queue, self._sync, workers=4)

    def _hear_pod(self, pod: JSONObject) -> None:
        if _is_done(pod):
            for key in _claim_keys(pod):
                self._queue.add(_CLAIM + key)
        if pod["spec"].get("resourceClaims") and not is_terminating(pod):
            self._queue.add(_POD + object_key(pod))

    def _pod_gone(self, pod: JSONObject) -> None:
        self._made.pop(pod["metadata"]["uid"], None)
        for key in _claim_keys(pod):
            self._queue.add(_CLAIM + key)

    def _hear_claim(self, claim: JSONObject) -> None:
        key = object_key(claim)
        self._queue.add(_CLAIM + key)
        for pod in self._pods.indexer.index(_CLAIM_INDEX, key):
            self._hear_pod(pod)

    def _hear_template(self, template: JSONObject) -> None:
        for pod in self._pods.indexer.index(_TEMPLATE_INDEX, object_key(template)):
            self._hear_pod(pod)

    async def _sync(self, item: str) -> None:
        kind, _, key = item.partition(":")
        namespace, name = split_key(key)
        objects = self._pods if f"{kind}:" == _POD else self._claims
        obj = objects.lister.namespaced(namespace).get(name)
        if obj is not None:
            await (self._sync_pod(obj) if objects is self._pods else self._sync_claim(obj))

    async def _sync_pod(self, pod: JSONObject) -> None:
        if is_terminating(pod):
            return
        made: dict[str, str] = {}
        for entry in pod["spec"].get("resourceClaims") or ():
            try:
                name = await self._ensure_claim(pod, entry)
            except NotYet as error:
                message = f"PodResourceClaim {entry['name']}: {error}"
                self._events.warn(pod, "FailedResourceClaimCreation", message)
                raise
            if name is not None:
                made[entry["name"]] = name
        if made:
            await self._tell(pod, made)
        elif pod["spec"].get("nodeName"):
            await self._reserve_all(pod)

    async def _ensure_claim(self, pod: JSONObject, entry: JSONObject) -> str | None:
        """The name of the claim if the pod's status does not tell it yet. Raises NotYet."""
        template_name = entry.get("resourceClaimTemplateName")
        statuses = _told(pod)
        if template_name is None or (entry["name"] in statuses and statuses[entry["name"]] is None):
            return None  # it is the user's to make, or it was found that none is needed
        namespace, told = pod["metadata"]["namespace"], statuses.get(entry["name"])
        if told is not None:
            claim = self._claims.lister.namespaced(namespace).get(told)
            if (claim is not None and is_controlled_by(claim, pod)) or await self._is_there(pod, told):
                return None
        if (orphan := self._orphan_of(pod, entry["name"])) is not None and orphan != told:
            return orphan
        return await self._make(pod, entry["name"], template_name)

    async def _is_there(self, pod: JSONObject, name: str) -> bool:
        """The informer may be late, and a claim must not be made twice."""
        try:
            claim = await self._client.resource(_CLAIMS, pod["metadata"]["namespace"]).get(name)
        except NotFound:
            return False
        return is_controlled_by(claim, pod)

    def _orphan_of(self, pod: JSONObject, entry_name: str) -> str | None:
        """One that was made, before it could be told."""
        uid = pod["metadata"]["uid"]
        for claim in self._claims.indexer.index(CONTROLLER_INDEX, uid):
            if (claim["metadata"].get("annotations") or {}).get(_CLAIM_NAME) == entry_name:
                return str(claim["metadata"]["name"])
        return self._made.get(uid, {}).get(entry_name)

    async def _make(self, pod: JSONObject, entry_name: str, template_name: str) -> str:
        """Raises NotYet."""
        namespace = pod["metadata"]["namespace"]
        template = self._templates.lister.namespaced(namespace).get(template_name)
        if template is None:
            missing = f'resourceclaimtemplate.resource.k8s.io "{template_name}" not found'
            raise NotYet(f'resource claim template "{template_name}": {missing}')
        try:
            claim = await self._client.resource(_CLAIMS, namespace).create(_claim_for(pod, entry_name, template))
        except APIError as error:
            raise NotYet(f"create ResourceClaim : {error}") from error
        name: str = claim["metadata"]["name"]
        self._made.setdefault(pod["metadata"]["uid"], {})[entry_name] = name
        return name

    async def _tell(self, pod: JSONObject, made: dict[str, str]) -> None:
        metadata = pod["metadata"]
        names = {name: claim for name, claim in _told(pod).items() if claim is not None} | made
        statuses = [{"name": name, "resourceClaimName": names[name]} for name in sorted(names)]
        document = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
            "status": {"resourceClaimStatuses": statuses},
        }
        await self._client.resource(PODS, metadata["namespace"]).patch(
            metadata["name"],
            document,
            PatchType.APPLY,
            subresource="status",
            field_manager=_FIELD_MANAGER,
            force=True,
        )

    async def _reserve_all(self, pod: JSONObject) -> None:
        metadata = pod["metadata"]
        for key in _claim_keys(pod):
            namespace, name = split_key(key)
            claim = self._claims.lister.namespaced(namespace).get(name)
            status = (claim or {}).get("status") or {}
            consumers = status.get("reservedFor") or []
            if claim is None or not status.get("allocation") or len(consumers) >= _CONSUMERS_MAX:
                continue
            if all(consumer.get("uid") != metadata["uid"] for consumer in consumers):
                consumer = {"resource": "pods", "name": metadata["name"], "uid": metadata["uid"]}
                await self._update(claim | {"status": status | {"reservedFor": [*consumers, consumer]}}, "status")

    async def _sync_claim(self, claim: JSONObject) -> None:
        consumers = (claim.get("status") or {}).get("reservedFor") or []
        remaining = [consumer for consumer in consumers if await self._still_consumes(claim, consumer)]
        is_unused = (
            not remaining and is_terminating(claim) and _FINALIZER in (claim["metadata"].get("finalizers") or ())
        )
        if len(remaining) < len(consumers) or is_unused:
            claim = await self._give_back(claim, remaining)
        if not remaining and self._is_left_over(claim):
            try:
                await self._client.resource(_CLAIMS, claim["metadata"]["namespace"]).delete(claim["metadata"]["name"])
            except NotFound:
                return

    async def _still_consumes(self, claim: JSONObject, consumer: JSONObject) -> bool:
        """Whoever is no pod is left alone: we don't know what it does."""
        if consumer.get("apiGroup") or consumer.get("resource") != "pods":
            return True
        namespace = claim["metadata"]["namespace"]
        pod = self._pods.lister.namespaced(namespace).get(consumer["name"])
        if pod is None:
            try:  # it may be new
                pod = await self._client.resource(PODS, namespace).get(consumer["name"])
            except NotFound:
                return False
            return bool(pod["metadata"]["uid"] == consumer["uid"])
        return pod["metadata"]["uid"] == consumer["uid"] and not _is_done(pod)

    async def _give_back(self, claim: JSONObject, remaining: list[JSONObject]) -> JSONObject:
        """Without a consumer a claim is allocated anew for the next one, perhaps elsewhere."""
        metadata, status = claim["metadata"], deepcopy(claim.get("status") or {})
        is_ours = _FINALIZER in (metadata.get("finalizers") or ())
        status.pop("reservedFor", None)
        if remaining:
            status["reservedFor"] = remaining
        elif is_ours:
            status.pop("allocation", None)
        if status != (claim.get("status") or {}):
            claim = await self._update(claim | {"status": status}, "status")
        if is_ours and "allocation" not in (claim.get("status") or {}):
            finalizers = [each for each in claim["metadata"].get("finalizers") or () if each != _FINALIZER]
            claim = await self._update(claim | {"metadata": claim["metadata"] | {"finalizers": finalizers}})
        return claim

    def _is_left_over(self, claim: JSONObject) -> bool:
        """It was made for a pod that has ended, or was replaced. If the pod is gone, the garbage collector sees to
        it."""
        owner = controller_of(claim)
        if owner is None or (owner["apiVersion"], owner["kind"]) != ("v1", "Pod") or is_terminating(claim):
            return False
        pod = self._pods.lister.namespaced(claim["metadata"]["namespace"]).get(owner["name"])
        return pod is not None and (pod["metadata"]["uid"] != owner["uid"] or _is_done(pod))

    async def _update(self, claim: JSONObject, subresource: str = "") -> JSONObject:
        claims = self._client.resource(_CLAIMS, claim["metadata"]["namespace"])
        return await claims.update(claim, subresource=subresource)


def _is_done(pod: JSONObject) -> bool:
    """None of its containers runs, nor ever will."""
    return is_terminal(pod) or (is_terminating(pod) and not pod["spec"].get("nodeName"))


def _told(pod: JSONObject) -> dict[str, str | None]:
    """The claims that its status tells, by what the pod calls them; None where none is needed."""
    statuses = (pod.get("status") or {}).get("resourceClaimStatuses") or ()
    return {status["name"]: status.get("resourceClaimName") for status in statuses}


def _claim_keys(pod: JSONObject) -> list[str]:
    """The claims of a pod, as far as they are known."""
    told = _told(pod)
    entries = pod["spec"].get("resourceClaims") or ()
    names = [entry.get("resourceClaimName") or told.get(entry["name"]) for entry in entries]
    names.append(((pod.get("status") or {}).get("extendedResourceClaimStatus") or {}).get("resourceClaimName"))
    return [f"{pod['metadata']['namespace']}/{name}" for name in names if name]


def _template_keys(pod: JSONObject) -> list[str]:
    names = [entry.get("resourceClaimTemplateName") for entry in pod["spec"].get("resourceClaims") or ()]
    return [f"{pod['metadata']['namespace']}/{name}" for name in dict.fromkeys(names) if name]


def _claim_for(pod: JSONObject, entry_name: str, template: JSONObject) -> JSONObject:
    spec, metadata = template["spec"], template["spec"].get("metadata") or {}
    pod_name = pod["metadata"]["name"]
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod_name, "uid": pod["metadata"]["uid"], "controller": True}
    made: JSONObject = {
        "generateName": _prefix(pod_name, entry_name),
        "annotations": {**(metadata.get("annotations") or {}), _CLAIM_NAME: entry_name},
        "ownerReferences": [owner],
    }
    if metadata.get("labels"):
        made["labels"] = dict(metadata["labels"])
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": made,
        "spec": deepcopy(spec.get("spec") or {}),
    }


def _prefix(pod_name: str, entry_name: str) -> str:
    """Of names that are too long each keeps its share."""
    whole = f"{pod_name}-{entry_name}-"
    if len(whole) <= _PREFIX_MAX:
        return whole
    kept = (len(name) * _PREFIX_MAX // len(whole) for name in (pod_name, entry_name))
    return f"{pod_name[: next(kept)]}-{entry_name[: next(kept)]}"
