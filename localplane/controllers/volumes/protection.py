"""A finalizer that keeps an object while it is used: put on at once, taken off when it is to go and nobody uses it.

Kubernetes: pkg/controller/util/protectionutil.
"""

from __future__ import annotations

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import ResourceClient


def is_kept(obj: JSONObject, finalizer: str) -> bool:
    """It is to go, and the finalizer keeps it."""
    return "deletionTimestamp" in obj["metadata"] and finalizer in (obj["metadata"].get("finalizers") or ())


def is_unprotected(obj: JSONObject, finalizer: str) -> bool:
    """It is to stay and lacks the finalizer: it is older than the admission plugin that would have put it on."""
    return "deletionTimestamp" not in obj["metadata"] and finalizer not in (obj["metadata"].get("finalizers") or ())


async def protect(objects: ResourceClient, obj: JSONObject, finalizer: str) -> None:
    await _write(objects, obj, [*(obj["metadata"].get("finalizers") or ()), finalizer])


async def release(objects: ResourceClient, obj: JSONObject, finalizer: str) -> None:
    await _write(objects, obj, [each for each in obj["metadata"]["finalizers"] if each != finalizer])


async def _write(objects: ResourceClient, obj: JSONObject, finalizers: list[str]) -> None:
    try:
        await objects.update(obj | {"metadata": obj["metadata"] | {"finalizers": finalizers}})
    except NotFound:
        return
