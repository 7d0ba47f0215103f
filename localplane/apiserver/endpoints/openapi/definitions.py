"""The definitions of one document: the kinds it is about, what these are made of, and what all kinds share."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Schema

from . import names as naming
from .answer_types import REGISTERED_IN_EVERY_GROUP, answer_types
from .descriptions import Descriptions, with_descriptions
from .meta_types import meta_types
from .operations import gvk
from .swagger import V2_PREFIX, schema_v2
from .words import META, V3_PREFIX, listed, of, ref, references, struct, type_fields

_GVK: Final = "x-kubernetes-group-version-kind"
_AT_ONCE: Final = 64  # definitions, then let others have a turn


class Definitions:
    """Filled kind by kind, then finished once. What is shared has our own descriptions, whoever else declares it.

    `described` has words for types that bring none along. `paths` that are mentioned are v3's, whatever the document
    will be.
    """

    def __init__(self, *, v2: bool, described: Descriptions | None = None) -> None:
        self._v2 = v2
        self._described = described or {}
        self._prefix = V2_PREFIX if v2 else V3_PREFIX
        self._shared = meta_types() | answer_types()
        self._schemas: dict[str, JSONObject] = {}
        self._as_declared: dict[str, JSONObject] = {}
        self._mentioned: set[str] = set()

    def mention(self, paths: JSONObject) -> None:
        """The document will hold what these refer to."""
        self._mentioned |= references(paths)

    def add(self, kind: GroupVersionKind, schema: Schema, *, selectable_fields: Sequence[str] = ()) -> str:
        """The name under which documents refer to the kind."""
        root, parts = schema.openapi(ref_prefix=self._prefix, v2=self._v2)
        name = schema.node.name if "." in schema.node.name else naming.definition(kind.group_version, kind.kind)
        names = self._qualified(kind, parts)
        if schema.node.name:
            names[schema.node.name] = name
        for part, declared in parts.items():
            if names[part] not in self._shared:
                self._schemas.setdefault(names[part], self._renamed(declared, names))
        found = {**self._renamed(root, names), _GVK: self._kinds(name, kind)}
        if selectable_fields:
            found["x-kubernetes-selectable-fields"] = [{"fieldPath": path} for path in selectable_fields]
        self._schemas[name] = found
        return name

    def add_list(self, kind: GroupVersionKind, item_name: str, item_kind: str) -> str:
        prefix, _, _ = item_name.rpartition(".")
        name = f"{prefix}.{kind.kind}" if prefix else kind.kind
        schema = struct(
            f"A list of objects of kind {item_kind}.",
            {
                **type_fields("list"),
                "items": listed(ref(item_name), "The objects."),
                "metadata": of(f"{META}ListMeta", "Where the list stands in time, and how it goes on."),
            },
            required=("items",),
            group_version_kind=[gvk(kind)],
        )
        del schema["properties"]["items"]["x-kubernetes-list-type"]
        self._schemas[name] = schema_v2(schema) if self._v2 else schema
        return name

    async def finished(self, versions: Sequence[GroupVersion]) -> JSONObject:
        """All that the paths and the kinds lead to, in order of their names."""
        waiting, found = self._mentioned | self._schemas.keys(), dict[str, JSONObject]()
        while waiting:
            name = waiting.pop()
            schema = self._schemas.get(name) or self._shared_schema(name, versions)
            if schema is None:
                continue  # no reference, but an example or a default that looks like one
            found[name] = with_descriptions(schema, name, self._described, v2=self._v2)
            waiting |= references(schema, self._prefix) - found.keys()
            if len(found) % _AT_ONCE == 0:
                await asyncio.sleep(0)
        return dict(sorted(found.items()))

    def _shared_schema(self, name: str, versions: Sequence[GroupVersion]) -> JSONObject | None:
        schema = self._shared.get(name)
        if schema is None:
            return None
        if name in REGISTERED_IN_EVERY_GROUP:
            kind = name.rpartition(".")[2]
            everywhere = sorted({GroupVersion("", "v1"), *versions}, key=lambda each: (each.group, each.version))
            schema = {**schema, _GVK: [gvk(each.kind(kind)) for each in everywhere]}
        return schema_v2(schema) if self._v2 else schema

    def _qualified(self, kind: GroupVersionKind, parts: dict[str, Any]) -> dict[str, str]:
        """Names that are unique in all documents: a class that has no full name gets that of its kind's version."""
        names = {}
        for part, declared in parts.items():
            name = part if "." in part else naming.definition(kind.group_version, part)
            if name != part and self._as_declared.setdefault(name, declared) != declared:
                name = naming.definition(kind.group_version, f"{kind.kind}{part}")
            names[part] = name
        return names

    def _renamed(self, schema: JSONObject, names: dict[str, str]) -> JSONObject:
        if all(name == part for part, name in names.items()):
            return schema
        renamed: JSONObject = self._with_names(schema, names)
        return renamed

    def _with_names(self, value: Any, names: dict[str, str]) -> Any:
        if isinstance(value, list):
            return [self._with_names(each, names) for each in value]
        if not isinstance(value, dict):
            return value
        renamed = {key: self._with_names(each, names) for key, each in value.items()}
        target = renamed.get("$ref")
        if isinstance(target, str) and (name := names.get(target.removeprefix(self._prefix))) is not None:
            renamed["$ref"] = self._prefix + name
        return renamed

    def _kinds(self, name: str, kind: GroupVersionKind) -> list[JSONObject]:
        """A kind that several versions share (a Scale) says so once for each."""
        known = self._schemas.get(name, {}).get(_GVK, [])
        return known if gvk(kind) in known else [*known, gvk(kind)]
