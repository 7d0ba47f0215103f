"""Other kinds' objects, for those who decide about one of their own: an eviction asks for budgets, admission for the
namespace. Reads are consistent and come from the cache, so they are cheap and never behind our own writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from localplane.apiserver.storage.errors import KeyNotFound, StorageError
from localplane.apiserver.storage.interface import ListOptions

from .definition import Definition
from .errors import interpret, interpret_list
from .rest import JSONObject


class Lookup:
    """Resources are named by group and plural: `namespaces`, `policy/poddisruptionbudgets`."""

    def __init__(self, definitions: Callable[[], Iterable[Definition]]) -> None:
        self._definitions = definitions
        self._known: dict[str, Definition] = {}

    def definition(self, resource: str) -> Definition:
        """Raises LookupError for what is not served."""
        found = self._known.get(resource)
        if found is None:
            self._known = {_name(each): each for each in self._definitions()}
            found = self._known[resource]
        return found

    def forget(self) -> None:
        """Others are served now, or served otherwise."""
        self._known = {}

    async def get(self, resource: str, namespace: str, name: str) -> JSONObject | None:
        """An object in its hub version, the caller's own; None if it is not there."""
        definition = self.definition(resource)
        try:
            stored = await definition.storage.get(definition.key(namespace, name))
        except KeyNotFound:
            return None
        except StorageError as error:
            raise interpret(error, resource=definition.resource, name=name) from error
        return definition.converter.hub_of(stored)

    async def list(self, resource: str, namespace: str = "") -> list[JSONObject]:
        """All objects of a namespace, or all there are."""
        definition = self.definition(resource)
        try:
            found = await definition.storage.list(definition.place(namespace), ListOptions())
        except StorageError as error:
            raise interpret_list(error) from error
        return [definition.converter.hub_of(stored) for stored in found.items]


def _name(definition: Definition) -> str:
    group, plural = definition.resource.group, definition.resource.resource
    return f"{group}/{plural}" if group else plural
