"""One schema of a definition, as a whole. Kubernetes: validateCustomResourceDefinitionValidation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid
from localplane.servers.apiextensions.internal import shown_schema

from .defaults import default_errors
from .demands import SchemaDemands
from .openapi import openapi_errors
from .structural import structural_errors, unsupported

Schema = Mapping[str, Any]

_ROOT_FIELDS: Final = {
    "description": "Description",
    "type": "Type",
    "format": "Format",
    "title": "Title",
    "maximum": "Maximum",
    "exclusiveMaximum": "ExclusiveMaximum",
    "minimum": "Minimum",
    "exclusiveMinimum": "ExclusiveMinimum",
    "maxLength": "MaxLength",
    "minLength": "MinLength",
    "pattern": "Pattern",
    "maxItems": "MaxItems",
    "minItems": "MinItems",
    "uniqueItems": "UniqueItems",
    "multipleOf": "MultipleOf",
    "required": "Required",
    "items": "Items",
    "properties": "Properties",
    "externalDocs": "ExternalDocs",
    "example": "Example",
    "x-kubernetes-preserve-unknown-fields": "XPreserveUnknownFields",
    "x-kubernetes-validations": "XValidations",
}


@dataclass(frozen=True, slots=True)
class SchemaContext:
    """`has_status`: the status has a subresource, and is judged by what the schema says of it alone."""

    demands: SchemaDemands
    has_status: bool
    structural: bool
    unchanged: bool = False


def schema_errors(schema: Schema, path: Path, context: SchemaContext) -> list[FieldError]:
    found = list(_root_errors(schema, path, context))
    cannot_be_read, may_have_rules = "", False
    if context.structural:
        cannot_be_read = unsupported(schema)
        if not cannot_be_read:
            problems = structural_errors(schema, path)
            problems = problems or default_errors(schema, path, pruned=context.demands.pruned_defaults)
            may_have_rules = not problems
            found += problems
    shape = openapi_errors(schema, path, context.demands)
    found += shape
    if may_have_rules:
        broken = [error.field for error in shape]
        found += context.demands.rules.errors(schema, path, any_cost=context.unchanged, broken=broken)
    if not found and cannot_be_read:
        found.append(invalid(path, "", cannot_be_read))
    return found


def _root_errors(schema: Schema, path: Path, context: SchemaContext) -> Iterator[FieldError]:
    if context.has_status:
        if schema.get("type", "object") != "object":
            why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
            yield invalid(path / "type", schema["type"], why)
        elif not schema.keys() <= _ROOT_FIELDS.keys():
            allowed = f"[{' '.join(_ROOT_FIELDS.values())}]"
            why = f"only {allowed} fields are allowed at the root of the schema if the status subresource is enabled"
            yield invalid(path, shown_schema(schema), why)
    if schema.get("nullable"):
        yield forbidden(path / "nullable", "nullable cannot be true at the root")
