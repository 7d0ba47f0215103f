"""A class of volume attributes stays while a volume or a claim names it.

Kubernetes: pkg/controller/volume/vacprotection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import (
    GroupVersionResource,
    HandlerFunctions,
    Indexer,
    SharedInformer,
    WorkQueue,
    deleted_object,
    object_key,
)
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import hearing, work

from .claim_users import CLAIMS, VOLUMES
from .protection import is_kept, is_unprotected, protect, release

_CLASSES: Final = GroupVersionResource("storage.k8s.io", "v1", "volumeattributesclasses")
_FINALIZER: Final = "kubernetes.io/vac-protection"
_INDEX: Final = "volume-attributes-class"


async def start(context: ControllerContext) -> None:
    objects = context.client_of("volumeattributesclass-protection-controller").resource(_CLASSES)
    queue = WorkQueue[str]()
    classes = context.informers.informer(_CLASSES)
    volumes, claims = context.informers.informer(VOLUMES), context.informers.informer(CLAIMS)
    users = [_indexed(volumes, _classes_of_volume), _indexed(claims, _classes_of_claim)]

    def hear(attributes_class: JSONObject) -> None:
        if is_kept(attributes_class, _FINALIZER) or is_unprotected(attributes_class, _FINALIZER):
            queue.add(object_key(attributes_class))

    async def sync(name: str) -> None:
        attributes_class = classes.lister.get(name)
        if attributes_class is None:
            return
        is_used = any(user.index_keys(_INDEX, name) for user in users)
        if is_kept(attributes_class, _FINALIZER) and not is_used:
            await release(objects, attributes_class, _FINALIZER)
        elif is_unprotected(attributes_class, _FINALIZER):
            await protect(objects, attributes_class, _FINALIZER)

    for informer in (volumes, claims, classes):
        await informer.wait_for_sync()
    listeners = [
        volumes.add_handler(_dropped(queue, _classes_of_volume)),
        claims.add_handler(_dropped(queue, _classes_of_claim)),
    ]
    try:
        with hearing(classes, hear, deletions=False):
            await work(queue, sync)
    finally:
        for listener in listeners:
            listener.remove()


def _indexed(informer: SharedInformer, names: Callable[[JSONObject], list[str]]) -> Indexer:
    if not informer.indexer.has_index(_INDEX):
        informer.indexer.add_indexers({_INDEX: names})
    return informer.indexer


def _dropped(queue: WorkQueue[str], names: Callable[[JSONObject], list[str]]) -> HandlerFunctions:
    """Hears of the classes that an object names no more."""

    def update(old: JSONObject, new: JSONObject) -> None:
        for name in set(names(old)) - set(names(new)):
            queue.add(name)

    def delete(obj: Any) -> None:
        for name in names(deleted_object(obj)):
            queue.add(name)

    return HandlerFunctions(update=update, delete=delete)


def _classes_of_volume(volume: JSONObject) -> list[str]:
    return [name] if (name := volume["spec"].get("volumeAttributesClassName")) else []


def _classes_of_claim(claim: JSONObject) -> list[str]:
    status = claim.get("status") or {}
    names = (
        claim["spec"].get("volumeAttributesClassName"),
        status.get("currentVolumeAttributesClassName"),
        (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName"),
    )
    return list(dict.fromkeys(name for name in names if name))
