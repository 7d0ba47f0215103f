"""Who owns which field, at the border between requests and objects.

Every write goes through here before admission sees it: `track` after a create, an update or a patch, and the handler of
apply by itself. Kubernetes: endpoints/installer.go (NewDefaultFieldManager) and endpoints/handlers/create.go
(managerOrUserAgent).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from localplane.apimachinery.managedfields import FieldManager, Fields, MissingVersion, of_paths
from localplane.apimachinery.names import size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import Schema
from localplane.apimachinery.times import now
from localplane.apiserver.registry.conversion import Converter
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.metadata import metadata_of, set_or_drop
from localplane.apiserver.registry.rest import WriteOptions
from localplane.apiserver.request import Request

if TYPE_CHECKING:
    from localplane.apiserver.endpoints.served import Served


_LONGEST_MANAGER = 128


def manager_of(request: Request, options: WriteOptions) -> str:
    """Who writes: as the options say, else what the user agent calls itself."""
    if options.field_manager:
        return options.field_manager
    name = request.headers.get("user-agent", "").partition("/")[0]
    if len(name) <= _LONGEST_MANAGER and name.isascii() and name.isprintable():
        return name
    kept, room = [], _LONGEST_MANAGER
    for character in filter(str.isprintable, name):
        room -= size(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept)


def track(served: Served, new: JSONObject, live: JSONObject, *, manager: str) -> None:
    """Write into a new hub object, in place, who owns what of it now. `live` is {} for one that is created."""
    version, seen_from = served.group_version.version, served.converter.seen_from
    before = seen_from(live, version) if live else None
    managed = served.field_manager.update(before, seen_from(new, version), manager=manager, now=now())
    set_managers(new, managed)


def set_managers(obj: JSONObject, managed: JSONObject) -> None:
    """Give an object, in place, the managedFields of another form of it."""
    entries = metadata_of(managed).get("managedFields")
    set_or_drop(metadata_of(obj), "managedFields", entries)


def make_field_manager(served: Served) -> FieldManager:
    """What manages the fields of a resource in one version, or of one of its subresources."""
    definition = served.storage.definition
    own = {served.group_version.version: served.schema}
    reset: Mapping[str, Fields] = {}
    if definition is not None and served.converter is definition.converter:
        own = {**definition.schemas, **own}
        fields = of_paths(*(_elements(path) for path in reset_fields(definition)))
        reset = dict.fromkeys(served.converter.api_versions, fields)
    return FieldManager(
        served.schema(),
        served.group_version,
        served.kind,
        subresource=served.subresource,
        reset_fields=reset,
        converter=_Versions(served.converter, own, served.group_version.version),
    )


def reset_fields(definition: Definition) -> Sequence[str]:
    """The fields that nobody owns through this strategy, since it does not let them be written."""
    strategy = definition.strategy
    if strategy.reset_fields is not None:
        return strategy.reset_fields
    return ("status",) if definition.has_status and strategy.resets_status else ()


def _elements(path: str) -> tuple[str, ...]:
    return tuple(f"f:{name}" for name in path.split("."))


class _Versions:
    """The versions of a kind, for managers that wrote in another one."""

    def __init__(self, converter: Converter, schemas: Mapping[str, Callable[[], Schema]], own: str) -> None:
        self._converter = converter
        self._schemas = schemas
        self._own = own

    def schema(self, api_version: str) -> Schema:
        return self._schemas[self._known(api_version)]()

    def convert(self, obj: JSONObject, api_version: str) -> JSONObject:
        version = self._known(api_version)
        source = self._converter.version_named(obj.get("apiVersion", "")) or self._own
        return self._converter.from_hub(self._converter.to_hub(copied(obj), source), version)

    def _known(self, api_version: str) -> str:
        name = self._converter.version_named(api_version)
        if name is None or name not in self._schemas:
            raise MissingVersion(api_version)
        return name
