"""A write in the versions of its kind: whoever is asked about apps/v1 sees apps/v1, whatever the client wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.errors import InternalError, NotFound
from localplane.apimachinery.groups import GroupResource, GroupVersion, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied, same
from localplane.apimachinery.schema import DecodeError, Schema
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.long_work import with_data
from localplane.apiserver.registry.conversion import Converter
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.lookup import Lookup
from localplane.client import GroupVersionResource

_NAMESPACES: Final = GroupResource("", "namespaces")


@dataclass(frozen=True, slots=True)
class WriteMatch:
    """As what a write is of interest: as itself, or as something equivalent."""

    resource: GroupVersionResource
    kind: GroupVersionKind


@dataclass(frozen=True, slots=True)
class Seen:
    """The objects of a write in one version; None where there is none."""

    object: JSONObject | None
    old_object: JSONObject | None


class Write:
    """One write. Objects that it shows belong to whoever asked; `replace` is how a mutating plugin changes it."""

    def __init__(self, attributes: Attributes, objects: Lookup) -> None:
        self.attributes = attributes
        group, plural = attributes.resource.group, attributes.resource.resource
        version = attributes.version or attributes.kind.version
        self.as_itself = WriteMatch(GroupVersionResource(group, version, plural), attributes.kind)
        self._objects = objects
        self._equivalents: list[WriteMatch] | None = None

    @property
    def is_of_namespace(self) -> bool:
        return self.attributes.resource == _NAMESPACES

    def equivalents(self) -> list[WriteMatch]:
        """The same object under other versions, or in another group. Kubernetes: EquivalentResourceRegistry."""
        if self._equivalents is None:
            self._equivalents = list(dict.fromkeys(self._found_equivalents()))
        return self._equivalents

    def _found_equivalents(self) -> list[WriteMatch]:
        own = self.as_itself.resource
        definitions = list(self._objects.definitions())
        main = next((each for each in definitions if _serves(each, own.group_version, own.resource)), None)
        if main is None:
            return []
        found = []
        for each in definitions:
            if each.prefix != main.prefix:
                continue
            for version in map(GroupVersion.parse, each.converter.api_versions):
                resource = GroupVersionResource(version.group, version.version, each.resource.resource)
                if resource != own:
                    found.append(WriteMatch(resource, self._kind_in(version, main)))
        return found

    def _kind_in(self, version: GroupVersion, main: Definition) -> GroupVersionKind:
        """Some subresources speak in a kind of their own, which is the same everywhere."""
        kind = self.attributes.kind
        return version.kind(kind.kind) if kind.kind == main.converter.kind else kind

    async def seen_as(self, kind: GroupVersionKind) -> Seen:
        """Raises APIError for what can't be converted."""
        asked = self.attributes
        return Seen(await self._converted(asked.object, kind), await self._converted(asked.old_object, kind))

    async def _converted(self, obj: JSONObject | None, kind: GroupVersionKind) -> JSONObject | None:
        if obj is None:
            return None
        converter, version = self._converter_to(kind)
        if converter is None:
            return {**copied(obj), "kind": kind.kind, "apiVersion": str(kind.group_version)}

        async def converted() -> JSONObject:
            """By others, perhaps, who have to be waited for."""
            return converter.from_hub(copied(obj), version)

        return await with_data(converted)

    async def replace(self, kind: GroupVersionKind, obj: JSONObject) -> bool:
        """Put another object in its place, which is of this kind: read and defaulted as a client's would be. Whether
        it differs. Raises InternalError for what can't be read."""
        converter, version = self._converter_to(kind)
        before = await self._converted(self.attributes.object, kind)
        if converter is not None:
            self._settle(converter, version, kind, obj)
        if same(before, obj):
            return False
        if converter is not None:

            async def converted() -> JSONObject:
                return converter.to_hub(copied(obj), version)

            obj = await with_data(converted)
        told = self.attributes.object or {}
        self.attributes.object = {**obj, **{key: told[key] for key in ("kind", "apiVersion") if key in told}}
        return True

    def _converter_to(self, kind: GroupVersionKind) -> tuple[Converter | None, str]:
        """The way from this write's objects to a kind: its own, or that of another group which shares them."""
        own = self.attributes.converter
        if own is not None and (version := _version_in(own, kind)) is not None:
            return own, version
        for each in self._objects.definitions():
            if (version := _version_in(each.converter, kind)) is not None:
                return each.converter, version
        return None, ""

    def schema_of(self, kind: GroupVersionKind) -> Schema | None:
        found = self._definition_of(kind)
        return None if found is None else found.schemas[_version_in(found.converter, kind) or ""]()

    def _definition_of(self, kind: GroupVersionKind) -> Definition | None:
        """Subresources may speak in kinds that are no resource's."""
        return next((each for each in self._objects.definitions() if _knows(each, kind)), None)

    def _settle(self, converter: Converter, version: str, kind: GroupVersionKind, obj: JSONObject) -> None:
        """Make of what a plugin wrote, in place, what its version makes of a client's object."""
        found = self._definition_of(kind)
        if found is None:
            return
        schema = found.schemas[version]()
        try:
            found.dialect.take_known(schema, obj, kind=kind.kind)
        except DecodeError as error:
            raise InternalError.of(str(error)) from error
        schema.default(obj)
        converter.default(obj, version)
        found.dialect.complete(schema, obj, final=True)

    async def namespace(self) -> JSONObject | None:
        """The namespace that it is in. Raises NotFound."""
        name = self.attributes.namespace
        if not name:
            return None
        found = await self._objects.cached().get("namespaces", "", name)
        if found is None:
            found = await self._objects.get("namespaces", "", name)
        if found is None:
            raise NotFound.of(_NAMESPACES, name)
        return found

    async def namespace_labels(self) -> dict[str, str]:
        """A namespace that is written has the labels that it will have. Raises NotFound."""
        asked = self.attributes
        is_written = asked.operation in (Operation.CREATE, Operation.UPDATE)
        if self.is_of_namespace and not asked.subresource and is_written:
            return labels_of(asked.object)
        return labels_of(await self.namespace())


def labels_of(obj: JSONObject | None) -> dict[str, str]:
    return ((obj or {}).get("metadata") or {}).get("labels") or {}


def _serves(definition: Definition, version: GroupVersion, plural: str) -> bool:
    return definition.resource.resource == plural and str(version) in definition.converter.api_versions


def _version_in(converter: Converter, kind: GroupVersionKind) -> str | None:
    return converter.version_named(str(kind.group_version)) if converter.kind == kind.kind else None


def _knows(definition: Definition, kind: GroupVersionKind) -> bool:
    return _version_in(definition.converter, kind) in definition.schemas
