"""Objects in the versions of their managers.

Fields have names in one version only, so what a manager of another version owns is compared there.
Kubernetes: apimachinery/pkg/util/managedfields/internal/versionconverter.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Node, Schema

from .errors import MissingVersion
from .typed import Type, root_type


class VersionConverter(Protocol):
    """The other versions of a kind. Both methods raise MissingVersion for one that is no longer there."""

    def schema(self, api_version: str) -> Schema | Node: ...

    def convert(self, obj: JSONObject, api_version: str) -> JSONObject:
        """The object in that version, as a copy."""
        ...


class OneVersion:
    """A kind that has no other version."""

    def schema(self, api_version: str) -> Schema | Node:
        raise MissingVersion(api_version)

    def convert(self, obj: JSONObject, api_version: str) -> JSONObject:  # noqa: ARG002 - there is none to convert to
        raise MissingVersion(api_version)


@dataclass(frozen=True, slots=True)
class Typed:
    """An object, the version that it is in, and what the schema of that version says about merging."""

    value: JSONObject
    api_version: str
    kind: Type

    def changed(self, value: JSONObject | None) -> Typed:
        return Typed(value or {}, self.api_version, self.kind)


@dataclass(frozen=True, slots=True)
class Versions:
    """The version of the request, and those that the converter knows."""

    api_version: str
    kind: Type
    converter: VersionConverter

    def typed(self, value: JSONObject) -> Typed:
        return Typed(value, self.api_version, self.kind)

    def kind_in(self, api_version: str) -> Type:
        return self.kind if api_version == self.api_version else root_type(self.converter.schema(api_version))

    def convert(self, obj: Typed, api_version: str) -> Typed:
        if obj.api_version == api_version:
            return obj
        kind = self.kind_in(api_version)
        return Typed(self.converter.convert(obj.value, api_version), api_version, kind)
