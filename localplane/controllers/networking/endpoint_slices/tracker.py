"""What was written to EndpointSlices and not yet seen in the informer: until then nobody must count again.

Kubernetes: k8s.io/endpointslice/util/endpointslice_tracker.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import HandlerFunctions, Indexer, SharedInformer, deleted_object

from .membership import labels_of

SERVICE_NAME: Final = "kubernetes.io/service-name"
MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_BY_SERVICE: Final = "endpoint-slice-service"
_GOING: Final = -1


class SliceTracker:
    """The generation of every slice that one controller wrote, by service."""

    def __init__(self) -> None:
        self._generations: dict[str, dict[str, int]] = {}

    def written(self, endpoint_slice: Mapping[str, Any]) -> None:
        self._of(endpoint_slice)[endpoint_slice["metadata"]["uid"]] = _generation(endpoint_slice)

    def deleted(self, endpoint_slice: Mapping[str, Any]) -> None:
        self._of(endpoint_slice)[endpoint_slice["metadata"]["uid"]] = _GOING

    def knows(self, endpoint_slice: Mapping[str, Any]) -> bool:
        return endpoint_slice["metadata"]["uid"] in self._generations.get(service_key(endpoint_slice), {})

    def is_news(self, endpoint_slice: Mapping[str, Any]) -> bool:
        """Whether somebody else wrote it."""
        known = self._generations.get(service_key(endpoint_slice), {}).get(endpoint_slice["metadata"]["uid"])
        return known is None or _generation(endpoint_slice) > known

    def gone(self, endpoint_slice: Mapping[str, Any]) -> bool:
        """It was seen to go; whether it was we who deleted it."""
        generations = self._generations.get(service_key(endpoint_slice), {})
        return generations.pop(endpoint_slice["metadata"]["uid"], _GOING) == _GOING

    def is_ahead_of(self, key: str, slices: Iterable[Mapping[str, Any]]) -> bool:
        """Whether these slices of a service are older than what was written."""
        generations = self._generations.get(key)
        if generations is None:
            return False
        seen = {each["metadata"]["uid"]: _generation(each) for each in slices}
        for uid, generation in generations.items():
            if generation == _GOING:
                if uid in seen:
                    return True
            elif uid not in seen or generation > seen[uid]:
                return True
        return False

    def forget(self, key: str) -> None:
        self._generations.pop(key, None)

    def _of(self, endpoint_slice: Mapping[str, Any]) -> dict[str, int]:
        return self._generations.setdefault(service_key(endpoint_slice), {})


def _generation(endpoint_slice: Mapping[str, Any]) -> int:
    return int(endpoint_slice["metadata"].get("generation") or 0)


def service_key(endpoint_slice: Mapping[str, Any]) -> str:
    return f"{endpoint_slice['metadata'].get('namespace', '')}/{labels_of(endpoint_slice).get(SERVICE_NAME, '')}"


def index_by_service(informer: SharedInformer) -> Indexer:
    """The informer's slices, to be found by `slices_of`. May be called by several."""
    if not informer.indexer.has_index(_BY_SERVICE):
        informer.indexer.add_indexers({_BY_SERVICE: lambda endpoint_slice: [service_key(endpoint_slice)]})
    return informer.indexer


def slices_of(slices: Indexer, key: str, *, managed_by: str) -> list[JSONObject]:
    """Those of a service that one controller keeps."""
    return [each for each in slices.index(_BY_SERVICE, key) if labels_of(each).get(MANAGED_BY) == managed_by]


def slice_handler(tracker: SliceTracker, *, managed_by: str, queue: Callable[[str], None]) -> HandlerFunctions:
    """Queues the service of a slice that somebody else wrote or deleted."""

    def is_ours(endpoint_slice: JSONObject) -> bool:
        return labels_of(endpoint_slice).get(MANAGED_BY) == managed_by

    def hear_of(*slices: JSONObject) -> None:
        for each in slices:
            if labels_of(each).get(SERVICE_NAME):
                queue(service_key(each))

    def added(endpoint_slice: JSONObject) -> None:
        if is_ours(endpoint_slice) and tracker.is_news(endpoint_slice):
            hear_of(endpoint_slice)

    def updated(old: JSONObject, new: JSONObject) -> None:
        if labels_of(old).get(SERVICE_NAME) != labels_of(new).get(SERVICE_NAME):
            hear_of(new, old)
        elif is_ours(old) != is_ours(new) or (is_ours(new) and tracker.is_news(new)):
            hear_of(new)

    def went(endpoint_slice: JSONObject) -> None:
        if is_ours(endpoint_slice) and tracker.knows(endpoint_slice) and not tracker.gone(endpoint_slice):
            hear_of(endpoint_slice)

    return HandlerFunctions(add=added, update=updated, delete=lambda obj: went(deleted_object(obj)))
