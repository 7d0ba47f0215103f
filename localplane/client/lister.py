"""Reading from an informer's copy as one would from the server, without asking it."""

from __future__ import annotations

from localplane.apimachinery import labels
from localplane.apimachinery.objects import JSONObject

from .indexer import NAMESPACE_INDEX, Indexer


class Lister:
    """In one namespace, or (empty) in all of them and for cluster-scoped objects."""

    def __init__(self, indexer: Indexer, namespace: str = "") -> None:
        self._indexer = indexer
        self._namespace = namespace

    def namespaced(self, namespace: str) -> Lister:
        return Lister(self._indexer, namespace)

    def get(self, name: str) -> JSONObject | None:
        return self._indexer.get(f"{self._namespace}/{name}" if self._namespace else name)

    def list(self, selector: labels.Selector = labels.everything) -> list[JSONObject]:
        found = self._indexer.index(NAMESPACE_INDEX, self._namespace) if self._namespace else self._indexer.list()
        if selector.is_everything:
            return list(found)
        return [obj for obj in found if selector.matches(obj["metadata"].get("labels") or {})]
