"""`-o plaintext-openapiv2`: what kubectl printed before there was OpenAPI v3, and what a server without it gets.

Kubernetes: kubectl/pkg/explain, and k8s.io/kube-openapi/pkg/util/proto for how a definition is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kctl.errors import KctlError
from kctl.views.explain.text import Options, paragraphs
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupVersionKind

Schema = dict[str, Any]

_REFERENCE = "#/definitions/"
_WIDTH = 80
_FIELDS_MARGIN, _STEP = 3, 3
_DESCRIPTION_MARGIN = 5


def explain_swagger(document: Schema, kind: GroupVersionKind, path: Sequence[str], options: Options) -> str:
    """Raises KctlError for a kind or a field that is not there."""
    definitions = document.get("definitions") or {}
    wanted = {"group": kind.group, "version": kind.version, "kind": kind.kind}
    # Of several definitions of a kind kubectl keeps the last.
    for name in sorted(definitions, reverse=True):
        if wanted in (definitions[name].get("x-kubernetes-group-version-kind") or ()):
            return _Page(definitions, kind, options).text(definitions[name], list(path))
    raise KctlError(f"couldn't find resource for {go_quote(str(kind))}")


def _form(schema: Schema) -> str:
    """What the reader takes a schema for."""
    kind = schema.get("type")
    if schema.get("$ref"):
        return "reference"
    if kind == "array":
        return "array"
    if kind in (None, "", "object"):
        if "properties" in schema:
            return "kind"
        return "map" if kind else "arbitrary"
    return "primitive"


class _Page:
    def __init__(self, definitions: Schema, kind: GroupVersionKind, options: Options) -> None:
        self._definitions = definitions
        self._kind = kind
        self._options = options

    def text(self, schema: Schema, path: list[str]) -> str:
        name = path[-1] if path else ""
        found = self._found(schema, path)
        descriptions: list[str] = []
        shown = ""
        while (form := _form(found)) in ("reference", "array", "map") and (inner := self._inner(found)) is not None:
            descriptions.append(str(found.get("description") or ""))
            shown = shown or (self._type(found) if form != "reference" else "")
            found = inner
        shown = shown or self._type(found)
        descriptions.append(str(found.get("description") or ""))
        text = f"KIND:     {self._kind.kind}\nVERSION:  {self._kind.group_version}\n\n"
        if form == "kind" and name:
            text += f"RESOURCE: {name} <{shown}>\n\n"
        elif form == "primitive":
            text += f"FIELD:    {name} <{shown}>\n\n"
        text += "DESCRIPTION:\n" + "".join(_described(descriptions))
        if form == "kind":
            text += "\nFIELDS:\n" + "".join(self._fields(found, _FIELDS_MARGIN, 1, frozenset()))
        return text

    def _found(self, schema: Schema, path: list[str]) -> Schema:
        rest = list(path)
        while rest:
            form = _form(schema)
            if form == "kind":
                if rest[0] not in schema["properties"]:
                    raise KctlError(f"field {go_quote(rest[0])} does not exist")
                schema = schema["properties"][rest.pop(0)]
            elif form in ("primitive", "arbitrary") or (inner := self._inner(schema)) is None:
                return schema
            else:
                schema = inner
        return schema

    def _inner(self, schema: Schema) -> Schema | None:
        """What a reference, a list or a map leads to. A map of anything leads to something that has no form."""
        match _form(schema):
            case "reference":
                found: Schema = self._definitions.get(str(schema["$ref"]).removeprefix(_REFERENCE)) or {}
                return found
            case "array":
                items: Schema = schema.get("items") or {}
                return items
            case "map":
                values = schema.get("additionalProperties")
                # What is in there is not known; all that can be said about it is said of the map.
                return values if isinstance(values, dict) else {"description": schema.get("description", "")}
        return None

    def _type(self, schema: Schema) -> str:
        match _form(schema):
            case "kind":
                return "Object"
            case "primitive":
                return str(schema["type"])
            case "array":
                return f"[]{self._type(self._inner(schema) or {})}"
            case "map":
                return f"map[string]{self._type(self._inner(schema) or {})}"
            case "reference":
                return self._type(self._inner(schema) or {})
        return ""

    def _fields(self, schema: Schema, margin: int, depth: int, seen: frozenset[str]) -> Iterator[str]:
        properties = schema["properties"]
        for name in sorted(properties):
            field = properties[name]
            line = f"{' ' * margin}{name}\t<{self._type(field)}>"
            if not self._options.recursive:
                required = " -required-" if name in (schema.get("required") or ()) else ""
                described = paragraphs(str(field.get("description") or ""), _WIDTH - margin - 2)
                yield f"{line}{required}\n" + "".join(_lines(described, margin + 2)) + "\n"
                continue
            yield f"{line}\n"
            if not self._options.max_depth or depth < self._options.max_depth:
                yield from self._below(field, margin + _STEP, depth + 1, seen)

    def _below(self, schema: Schema, margin: int, depth: int, seen: frozenset[str]) -> Iterator[str]:
        while (form := _form(schema)) in ("reference", "array", "map"):
            if form == "reference":
                if schema["$ref"] in seen:
                    return
                seen = seen | {schema["$ref"]}
            schema = self._inner(schema) or {}
        if form == "kind":
            yield from self._fields(schema, margin, depth, seen)


def _described(descriptions: Sequence[str]) -> Iterator[str]:
    for position, description in enumerate(descriptions):
        if description:
            if position:
                yield "\n"
            yield from _lines(paragraphs(description, _WIDTH - _DESCRIPTION_MARGIN), _DESCRIPTION_MARGIN)
    if not any(descriptions):
        yield f"{' ' * _DESCRIPTION_MARGIN}<empty>\n"


def _lines(lines: Sequence[str], margin: int) -> Iterator[str]:
    for line in lines:
        yield f"{' ' * margin}{line}\n" if line else "\n"
