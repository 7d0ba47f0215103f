"""Other kinds' objects, for those who decide about one of their own: an eviction asks for budgets, admission for the
namespace. Reads are consistent and come from the cache, so they are cheap and never behind our own writes. Lists leave
out what can't be read: one bad object must not stop all who decide about others.

Who asks several things about one request waits once: `cached` reads what is there, at least as fresh as what was read
before."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import KeyNotFound, StorageError
from localplane.apiserver.storage.interface import ListOptions

from .definition import Definition
from .errors import interpret, interpret_list


class Lookup:
    """Resources are named by group and plural: `namespaces`, `policy/poddisruptionbudgets`."""

    _options = ListOptions(only_readable=True)

    def __init__(self, definitions: Callable[[], Iterable[Definition]]) -> None:
        self._definitions = definitions
        self._known: dict[str, Definition] = {}

    def definition(self, resource: str) -> Definition:
        """Raises LookupError for what is not served."""
        definition = self._known.get(resource)
        if definition is None:
            self._known = {_name(each): each for each in self._definitions()}
            definition = self._known[resource]
        return definition

    def definitions(self) -> Iterable[Definition]:
        """Of everything that is served."""
        return self._definitions()

    def cached(self) -> Lookup:
        """The same without waiting: a write that was just acknowledged may not be seen yet."""
        return _CachedLookup(self)

    def forget(self) -> None:
        """Others are served now, or served otherwise."""
        self._known = {}

    async def get(self, resource: str, namespace: str, name: str) -> JSONObject | None:
        """An object in its hub version, the caller's own; None if it is not there."""
        definition = self.definition(resource)
        try:
            key = definition.key(namespace, name)
            stored = await definition.storage.get(key, resource_version=self._options.resource_version)
        except KeyNotFound:
            return None
        except StorageError as error:
            raise interpret(error, resource=definition.resource, name=name) from error
        return definition.converter.hub_of(stored)

    async def list(self, resource: str, namespace: str = "") -> list[JSONObject]:
        """All objects of a namespace, or all there are."""
        definition = self.definition(resource)
        try:
            listed = await definition.storage.list(definition.place(namespace), self._options)
        except StorageError as error:
            raise interpret_list(error) from error
        return [definition.converter.hub_of(stored) for stored in listed.items]


class _CachedLookup(Lookup):
    _options = ListOptions(resource_version="0", only_readable=True)

    def __init__(self, whole: Lookup) -> None:
        self._whole = whole

    def definition(self, resource: str) -> Definition:
        return self._whole.definition(resource)

    def definitions(self) -> Iterable[Definition]:
        return self._whole.definitions()

    def forget(self) -> None:
        self._whole.forget()


def _name(definition: Definition) -> str:
    group, plural = definition.resource.group, definition.resource.resource
    return f"{group}/{plural}" if group else plural
