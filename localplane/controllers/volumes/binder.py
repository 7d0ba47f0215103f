"""persistentvolume-binder-controller: every claim gets a volume, and every volume goes where it belongs.

Kubernetes looks at every claim again each fifteen seconds. Here a claim that waits is looked at when something comes
that it may wait for: a volume, a storage class, a pod. Kubernetes: pkg/controller/volume/persistentvolume.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import HandlerFunctions, Indexer, SharedInformer, WorkQueue, deleted_object, object_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.pods import PODS
from localplane.controllers.worker import hearing, work

from .bindings import BIND_COMPLETED, Bindings, Newest, annotation, phase_of
from .claim_users import CLAIMS, STORAGE_CLASSES, VOLUMES, claim_key_of, claim_keys, index_by_claim
from .claims import CANDIDATES, ClaimSync
from .simulation import Provisioner
from .volume_choice import candidate_keys, has_storage_class, storage_class_of
from .volumes import VolumeSync

_ACCOUNT: Final = "persistent-volume-binder"
_COMPONENT: Final = "persistentvolume-controller"
_WAITING: Final = "waiting-claims"
_CLAIM: Final = "claim:"
_VOLUME: Final = "volume:"


async def start(context: ControllerContext) -> None:
    binder = _Binder(context)
    await binder.wait_for_sync()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(binder.run())
        tasks.create_task(Provisioner(context).run())


class _Binder:
    """One worker for both kinds: two that bind at once would take each other's volumes."""

    def __init__(self, context: ControllerContext) -> None:
        informers = context.informers
        self._claims_informer = informers.informer(CLAIMS)
        self._volumes_informer = informers.informer(VOLUMES)
        self._classes_informer = informers.informer(STORAGE_CLASSES)
        self._pods_informer = informers.informer(PODS)
        self._waiting = _indexed(self._claims_informer, _WAITING)
        _indexed(self._volumes_informer, CANDIDATES)
        pods = index_by_claim(self._pods_informer)
        self._queue = WorkQueue[str]()
        self._claims, self._volumes = Newest(self._claims_informer), Newest(self._volumes_informer)
        events = context.recorder(_ACCOUNT, _COMPONENT)
        bindings = Bindings(context.client_of(_ACCOUNT), events, claims=self._claims, volumes=self._volumes)
        self._claim_sync = ClaimSync(bindings, classes=self._classes_informer.lister, pods=pods)
        self._volume_sync = VolumeSync(bindings, pods=pods, look_at_claim=self._look_at_claim)

    async def wait_for_sync(self) -> None:
        for informer in (self._volumes_informer, self._claims_informer, self._classes_informer, self._pods_informer):
            await informer.wait_for_sync()

    async def run(self) -> None:
        claims = HandlerFunctions(
            add=lambda claim: self._look_at_claim(object_key(claim)),
            update=lambda _, claim: self._look_at_claim(object_key(claim)),
            delete=lambda claim: self._claim_gone(deleted_object(claim)),
        )
        volumes = HandlerFunctions(
            add=self._hear_volume,
            update=lambda _, volume: self._hear_volume(volume),
            delete=lambda volume: self._volume_gone(deleted_object(volume)),
        )
        pods = HandlerFunctions(
            add=self._hear_pod, update=self._pod_changed, delete=lambda pod: self._hear_pod(deleted_object(pod))
        )
        with ExitStack() as listeners:
            for informer, handler in (
                (self._volumes_informer, volumes),
                (self._claims_informer, claims),
                (self._pods_informer, pods),
            ):
                listeners.callback(informer.add_handler(handler).remove)
            listeners.enter_context(hearing(self._classes_informer, self._hear_class))
            await work(self._queue, self._sync)

    async def _sync(self, item: str) -> None:
        """Raises APIError and NotYet."""
        kind, _, key = item.partition(":")
        objects = self._claims if f"{kind}:" == _CLAIM else self._volumes
        if (obj := objects.get(key)) is not None:
            await (self._claim_sync if objects is self._claims else self._volume_sync).sync(obj)

    def _look_at_claim(self, key: str) -> None:
        self._queue.add(_CLAIM + key)

    def _look_at_volume(self, name: str) -> None:
        self._queue.add(_VOLUME + name)

    def _claim_gone(self, claim: JSONObject) -> None:
        self._claims.forget(object_key(claim))
        if name := claim["spec"].get("volumeName"):
            self._look_at_volume(name)

    def _hear_volume(self, volume: JSONObject) -> None:
        self._look_at_volume(volume["metadata"]["name"])
        for key in self._claims_that_may_want(volume):
            self._look_at_claim(key)

    def _volume_gone(self, volume: JSONObject) -> None:
        name = volume["metadata"]["name"]
        self._volumes.forget(name)
        for key in {claim_key_of(volume), *self._waiting.index_keys(_WAITING, f"volume/{name}")} - {""}:
            self._look_at_claim(key)

    def _claims_that_may_want(self, volume: JSONObject) -> Iterator[str]:
        yield from self._waiting.index_keys(_WAITING, f"volume/{volume['metadata']['name']}")
        if key := claim_key_of(volume):
            yield key
        elif phase_of(volume) == "Available":
            yield from self._waiting.index_keys(_WAITING, f"class/{storage_class_of(volume)}")

    def _hear_class(self, storage_class: JSONObject) -> None:
        """Claims may wait for it by its name, or for a default."""
        for place in (f"class/{storage_class['metadata']['name']}", "classless"):
            for key in self._waiting.index_keys(_WAITING, place):
                self._look_at_claim(key)

    def _hear_pod(self, pod: JSONObject) -> None:
        for key in claim_keys(pod):
            claim = self._claims.get(key)
            if claim is not None and _waiting_keys(claim):
                self._look_at_claim(key)

    def _pod_changed(self, old: JSONObject, new: JSONObject) -> None:
        if old["spec"].get("nodeName") != new["spec"].get("nodeName"):
            self._hear_pod(new)


def _indexed(informer: SharedInformer, name: str) -> Indexer:
    functions = {_WAITING: _waiting_keys, CANDIDATES: candidate_keys}
    if not informer.indexer.has_index(name):
        informer.indexer.add_indexers({name: functions[name]})
    return informer.indexer


def _waiting_keys(claim: JSONObject) -> list[str]:
    """What a claim that is not bound yet may wait for."""
    if annotation(claim, BIND_COMPLETED) is not None:
        return []
    if name := claim["spec"].get("volumeName"):
        return [f"volume/{name}"]
    keys = [f"class/{storage_class_of(claim)}"]
    return keys if has_storage_class(claim) else [*keys, "classless"]
