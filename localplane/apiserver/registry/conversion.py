"""Conversion through the hub: every version knows the way to the hub and back, so n versions need 2n functions.

Strategies, admission and patches of another version see hub objects; the store gets the storage version. A version
without functions of its own has the hub's shape, and then nothing is copied or walked. What is in the store may have
been written when another version was the stored one: an object says itself which one it has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from secrets import token_hex

from localplane.apimachinery.errors import InternalError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.dialects import NO_SCHEMA_RULES, SchemaRules
from localplane.apiserver.storage.objects import StoredObject


@dataclass(frozen=True, slots=True)
class VersionRules:
    """How one version relates to the hub; None means that it has the hub's shape. `schema` is what its schema does to
    objects that are read and written."""

    group_version: GroupVersion
    to_hub: Callable[[JSONObject], JSONObject] | None = None
    from_hub: Callable[[JSONObject], JSONObject] | None = None
    default: Callable[[JSONObject], None] | None = None
    schema: SchemaRules = NO_SCHEMA_RULES


class Converter:
    """All conversions of one kind, by the names of its versions. Objects that go in belong to it: they may be changed
    and returned. `hub` is the version that hub objects are of, where that makes a difference: it prunes what comes from
    others, and the stored version prunes what goes to it. `mark` tells what it made from what another one made."""

    def __init__(self, kind: str, versions: Mapping[str, VersionRules], *, stored_as: str, hub: str = "") -> None:
        self.kind = kind
        self.mark = token_hex(4)
        self._versions = versions
        self._stored_as = stored_as
        self._hub = hub
        self._stored = versions[stored_as]
        self._by_api_version = {str(rules.group_version): name for name, rules in versions.items()}

    @property
    def storage_version(self) -> GroupVersion:
        return self._stored.group_version

    @property
    def api_versions(self) -> Collection[str]:
        """The apiVersions that its objects may have."""
        return self._by_api_version.keys()

    def serves(self, version: str) -> bool:
        return version in self._versions

    def version_named(self, api_version: str) -> str | None:
        """The name of the version that has this apiVersion; None if there is none."""
        return self._by_api_version.get(api_version)

    def default(self, obj: JSONObject, version: str) -> None:
        rules = self._versions[version]
        if rules.default is not None:
            rules.default(obj)

    def to_hub(self, obj: JSONObject, version: str) -> JSONObject:
        rules = self._versions[version]
        return self._typed(rules.to_hub(obj) if rules.to_hub else obj, rules.group_version)

    def from_hub(self, obj: JSONObject, version: str) -> JSONObject:
        rules = self._versions[version]
        obj = self._typed(rules.from_hub(obj) if rules.from_hub else obj, rules.group_version)
        if rules.schema.complete is not None:
            rules.schema.complete(obj)
        return obj

    def seen_from(self, hub: JSONObject, version: str) -> JSONObject:
        """A hub object in a version's shape, to look at only: where the shapes agree it is the object itself."""
        rules = self._versions[version]
        return rules.from_hub(copied(hub)) if rules.from_hub else hub

    def hub_of(self, stored: StoredObject) -> JSONObject:
        """A stored object, fresh, in the hub version."""
        return self.from_storage(stored.decode())

    def from_storage(self, obj: JSONObject) -> JSONObject:
        version = self._version_of(obj)
        obj = _as_declared_now(obj, self._versions[version].schema)
        return self._pruned(obj, version, self._hub) if self._hub else self.to_hub(obj, version)

    def to_storage(self, hub: JSONObject) -> JSONObject:
        if self._hub:
            return self._pruned(hub, self._hub, self._stored_as)
        return self.from_hub(hub, self._stored_as)

    def read(self, stored: StoredObject, version: str) -> JSONObject:
        """A stored object, fresh, in a version: what a reader gets."""
        obj = stored.decode()
        found = self._version_of(obj)
        return self._pruned(_as_declared_now(obj, self._versions[found].schema), found, version)

    def _pruned(self, obj: JSONObject, found: str, wanted: str) -> JSONObject:
        """An object of one version in another, without what that does not know."""
        if found == wanted:
            return obj
        obj = self.from_hub(self.to_hub(obj, found), wanted)
        prune = self._versions[wanted].schema.prune
        if prune is not None:
            prune(obj)
        return obj

    def _version_of(self, obj: JSONObject) -> str:
        api_version = obj.get("apiVersion", "")
        version = self._by_api_version.get(api_version)
        if version is None:
            raise InternalError.of(f"no kind {go_quote(self.kind)} is registered for version {go_quote(api_version)}")
        return version

    def _typed(self, obj: JSONObject, version: GroupVersion) -> JSONObject:
        obj["kind"] = self.kind
        obj["apiVersion"] = str(version)
        return obj


def _as_declared_now(obj: JSONObject, schema: SchemaRules) -> JSONObject:
    if schema.prune is not None:
        schema.prune(obj)
    if schema.fill is not None:
        schema.fill(obj)
    return obj
