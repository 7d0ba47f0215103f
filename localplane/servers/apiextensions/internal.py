"""A definition's spec as Kubernetes' internal type has it, which validation's paths and messages speak of.

What is the same in all versions stands in the spec itself there. Kubernetes: pkg/apis/apiextensions/v1, conversion.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.internal_form import internal_form

SHARED: Final = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")


@dataclass(frozen=True, slots=True)
class InternalSpec:
    """`versions` are without what is in `shared`, which holds what all of them have in common."""

    versions: Sequence[JSONObject]
    shared: Mapping[str, Any]

    def subresources(self, version: Mapping[str, Any]) -> JSONObject | None:
        found: JSONObject | None = version.get("subresources", self.shared.get("subresources"))
        return found

    def shown(self) -> Any:
        """The versions, as a message prints them."""
        return [shown_version(each) for each in self.versions] or None


def internal_spec(spec: Mapping[str, Any]) -> InternalSpec:
    versions: list[JSONObject] = spec.get("versions") or []
    shared: JSONObject = {}
    for key in SHARED:
        values = [version.get(key) for version in versions]
        if values and values[0] is not None and all(value == values[0] for value in values):
            shared[key] = values[0]
    return InternalSpec([_without(version, shared) for version in versions], shared)


def _without(version: JSONObject, shared: Mapping[str, Any]) -> JSONObject:
    return {key: value for key, value in version.items() if key not in shared}


def schema_of(version: Mapping[str, Any]) -> JSONObject | None:
    """The OpenAPI schema in a version, or in what all versions share."""
    schema: JSONObject | None = (version.get("schema") or {}).get("openAPIV3Schema")
    return schema


def shown_version(version: Mapping[str, Any]) -> Any:
    shown = dict(version)
    if schema_of(version) is not None:
        shown["schema"] = {"openAPIV3Schema": _alternatives(schema_of(version))}
    return internal_form(shown, "apiextensions.CustomResourceDefinitionVersion")


def shown_schema(schema: Mapping[str, Any]) -> Any:
    return internal_form(_alternatives(schema), "apiextensions.JSONSchemaProps")


def shown_rule(rule: Mapping[str, Any]) -> Any:
    return internal_form(rule, "apiextensions.ValidationRule")


def _alternatives(schema: Any) -> Any:
    """With the structs of Go where JSON has one thing or another."""
    if isinstance(schema, list):
        return [_alternatives(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    shown = dict(schema)
    for key in ("properties", "patternProperties", "definitions"):
        if key in shown:
            shown[key] = {name: _alternatives(each) for name, each in shown[key].items()}
    for key in ("allOf", "anyOf", "oneOf", "not"):
        if key in shown:
            shown[key] = _alternatives(shown[key])
    if "items" in shown:
        items = shown["items"]
        shown["items"] = {"schemas" if isinstance(items, list) else "schema": _alternatives(items)}
    for key in ("additionalProperties", "additionalItems"):
        if key in shown:
            shown[key] = _or_bool(shown[key])
    if "dependencies" in shown:
        shown["dependencies"] = {name: _or_texts(each) for name, each in shown["dependencies"].items()}
    return shown


def _or_bool(value: Any) -> JSONObject:
    return {"allows": value} if isinstance(value, bool) else {"allows": True, "schema": _alternatives(value)}


def _or_texts(value: Any) -> JSONObject:
    return {"property": value} if isinstance(value, list) else {"schema": _alternatives(value)}
