"""Configurations as they are stored, each compiled when it is first read. Reads don't wait: like an informer, they may
be a moment behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.errors import interpret_list
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.storage.cacher.storage import CachedStorage
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import ListOptions

T = TypeVar("T")

_WITHOUT_WAITING: Final = ListOptions(resource_version="0", only_readable=True)
_COMPILED: Final = "admission"


class Stored(Generic[T]):
    """All objects of a kind, in the order of their names. `compiled` is kept with the stored object."""

    def __init__(self, objects: Lookup, resource: str, compiled: Callable[[JSONObject], T]) -> None:
        self._objects = objects
        self._resource = resource
        self._compiled = compiled

    def is_empty(self) -> bool:
        """Whether there are certainly none."""
        try:
            definition = self._objects.definition(self._resource)
        except LookupError:  # nobody can have stored any
            return True
        storage = definition.storage
        return isinstance(storage, CachedStorage) and storage.is_known_empty(definition.prefix)

    async def all(self) -> list[T]:
        if self.is_empty():
            return []
        definition = self._objects.definition(self._resource)
        try:
            found = await definition.storage.list(definition.place(""), _WITHOUT_WAITING)
        except StorageError as error:
            raise interpret_list(error) from error
        made: list[T] = []
        for each in found.items:
            memo = each.memo = {} if each.memo is None else each.memo
            if _COMPILED not in memo:
                memo[_COMPILED] = self._compiled(definition.converter.hub_of(each))
            made.append(memo[_COMPILED])
        return made
