"""Objects by key, and by whatever else somebody wants to find them by.

Kubernetes: client-go/tools/cache/thread_safe_store.go and index.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors import labels
from localplane.client.errors import InvalidAnswer
from localplane.client.workqueue.supervision import Contained

IndexFunction = Callable[[JSONObject], Iterable[str]]
"""The values that an object is found by, none or several. If it raises, that is logged, and the object has none."""

NAMESPACE_INDEX: Final = "namespace"


def object_key(obj: Mapping[str, Any]) -> str:
    """`namespace/name`, or `name` without a namespace. Raises InvalidAnswer for what is no object."""
    metadata = obj.get("metadata")
    if not (isinstance(metadata, dict) and isinstance(metadata.get("name"), str)):
        raise InvalidAnswer("object has no meta: it has no metadata.name")
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])


def split_key(key: str) -> tuple[str, str]:
    """Namespace, which may be empty, and name. Raises ValueError."""
    namespace, _, name = key.rpartition("/")
    if "/" in namespace:
        raise ValueError(f'unexpected key format: "{key}"')
    return namespace, name


def by_namespace(obj: JSONObject) -> list[str]:
    return [obj["metadata"].get("namespace", "")]


class Indexer:
    """Whoever reads must not change what they are given: everybody gets the same dictionaries."""

    def __init__(self, indexers: Mapping[str, IndexFunction] | None = None) -> None:
        self._objects: dict[str, JSONObject] = {}
        self._functions: dict[str, IndexFunction] = {}
        self._indices: dict[str, dict[str, dict[str, None]]] = {}
        self.add_indexers({NAMESPACE_INDEX: by_namespace, **(indexers or {})})

    def __len__(self) -> int:
        return len(self._objects)

    def get(self, key: str) -> JSONObject | None:
        return self._objects.get(key)

    def list(self) -> list[JSONObject]:
        return list(self._objects.values())

    def keys(self) -> Iterable[str]:
        return self._objects.keys()

    def index(self, name: str, value: str) -> Iterable[JSONObject]:
        """The objects with this value. Raises KeyError for an index that was never added."""
        return [self._objects[key] for key in self._indices[name].get(value, ())]

    def index_keys(self, name: str, value: str) -> Iterable[str]:
        return tuple(self._indices[name].get(value, ()))

    def index_values(self, name: str) -> Iterable[str]:
        return tuple(self._indices[name])

    def has_index(self, name: str) -> bool:
        return name in self._functions

    def add_indexers(self, indexers: Mapping[str, IndexFunction]) -> None:
        """More ways to find objects, those that are already here included. Raises ValueError if a name is taken."""
        if taken := sorted(indexers.keys() & self._functions.keys()):
            raise ValueError(f"indexer conflict: {', '.join(taken)}")
        for name, function in indexers.items():
            self._functions[name] = function
            self._indices[name] = {}
            for key, obj in self._objects.items():
                self._enter(name, key, obj)

    def put(self, key: str, obj: JSONObject) -> None:
        self.delete(key)
        self._objects[key] = obj
        for name in self._functions:
            self._enter(name, key, obj)

    def delete(self, key: str) -> None:
        old = self._objects.pop(key, None)
        if old is None:
            return
        for name in self._functions:
            index = self._indices[name]
            for value in self._values(name, key, old):
                keys = index.get(value, {})
                keys.pop(key, None)
                if not keys:
                    index.pop(value, None)

    def _enter(self, name: str, key: str, obj: JSONObject) -> None:
        for value in self._values(name, key, obj):
            self._indices[name].setdefault(value, {})[key] = None

    def _values(self, name: str, key: str, obj: JSONObject) -> tuple[str, ...]:
        """None for an object that lacks what everybody has: it is no reason for all others to be lost."""
        with Contained(lambda: f"indexing {key} by {name}"):
            return tuple(self._functions[name](obj))
        return ()


class Lister:
    """Reads from an informer's copy as one would from the server, without asking it.

    In one namespace, or (empty) in all of them and for cluster-scoped objects."""

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
