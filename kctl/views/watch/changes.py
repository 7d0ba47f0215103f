"""What happened to an object, as far as we have seen it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from kctl.views.watch import sources
from localplane.apimachinery.objects import JSONObject


class Change(NamedTuple):
    """`type` is ADDED, MODIFIED or DELETED; `before` is what was known until now, None for what is new."""

    type: str
    object: JSONObject
    before: JSONObject | None = None


class View(Protocol):
    """Where changes go."""

    def show(self, source: sources.Source, changes: list[Change], *, initial: bool) -> None:
        """`initial` is what was there when we came; it is shown once for every source, even if there is nothing."""

    def connected(self, source: sources.Source, problem: str) -> None:
        """`problem` is empty when the server can be heard again."""


class Known:
    """One collection as we last saw it. A reflector's store: it tells a repetition from news.

    A reflector may bring an object twice (it lists again after its place in history is gone), and may have missed
    that one was deleted and made anew. Kubernetes: client-go/tools/cache, DeltaFIFO.Replace.
    """

    def __init__(self, source: sources.Source, view: View) -> None:
        self._source = source
        self._view = view
        self._objects: dict[tuple[str, str], JSONObject] = {}
        self.synced = False

    def __len__(self) -> int:
        return len(self._objects)

    def add(self, obj: JSONObject) -> None:
        self._tell(self._taken(obj))

    def update(self, obj: JSONObject) -> None:
        self._tell(self._taken(obj))

    def delete(self, obj: JSONObject) -> None:
        before = self._objects.pop(_key(obj), None)
        if before is not None:
            self._tell([Change("DELETED", obj, before)])

    def replace(self, objects: Iterable[JSONObject]) -> None:
        found = {_key(obj): obj for obj in objects}
        gone = [key for key in self._objects if key not in found]
        changes = [Change("DELETED", self._objects[key], self._objects.pop(key)) for key in gone]
        for obj in found.values():
            changes += self._taken(obj)
        initial, self.synced = not self.synced, True
        if changes or initial:
            self._view.show(self._source, changes, initial=initial)

    def _taken(self, obj: JSONObject) -> list[Change]:
        key = _key(obj)
        before = self._objects.get(key)
        self._objects[key] = obj
        if before is None:
            return [Change("ADDED", obj)]
        if _of(before, "uid") != _of(obj, "uid"):
            return [Change("DELETED", before, before), Change("ADDED", obj)]
        if _of(before, "resourceVersion") == _of(obj, "resourceVersion"):
            return []
        return [Change("MODIFIED", obj, before)]

    def _tell(self, changes: list[Change]) -> None:
        if changes:
            self._view.show(self._source, changes, initial=False)


def _of(obj: JSONObject, name: str) -> str:
    return str((obj.get("metadata") or {}).get(name) or "")


def _key(obj: JSONObject) -> tuple[str, str]:
    return _of(obj, "namespace"), _of(obj, "name")
