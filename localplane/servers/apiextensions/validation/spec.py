"""A definition's spec. Kubernetes: validateCustomResourceDefinitionSpec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required
from localplane.apimachinery.names import dns1035_label, dns1123_subdomain, size
from localplane.servers.apiextensions.internal import InternalSpec, internal_spec, schema_of
from localplane.servers.apiextensions.schemas import has_defaults, walk

from .conversion import conversion_errors
from .demands import SchemaDemands
from .names import name_errors, required_name_errors
from .presentation import column_errors, selectable_errors, subresource_errors
from .schema import SchemaContext, schema_errors

_SCOPES: Final = ("Cluster", "Namespaced")
_EXTENSIONS: Final = frozenset(
    {"x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"}
    | {"x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-validations"}
)
_WRONG_WARNING: Final = "must only contain printable UTF-8 characters; non-printable character found at index "


def spec_errors(spec: Mapping[str, Any], path: Path, demands: SchemaDemands) -> Iterator[FieldError]:
    internal, preserves = internal_spec(spec), bool(spec.get("preserveUnknownFields"))
    yield from _place_errors(spec, path)
    yield from _missing_schema_errors(internal, path, demands, preserves=preserves)
    if preserves and _any_schema(internal, has_defaults):
        why = "must be false in order to use defaults in the schema"
        yield invalid(path / "preserveUnknownFields", spec["preserveUnknownFields"], why)
    structural = _must_be_structural(internal, demands, preserves=preserves)
    yield from _version_errors(internal, path, demands, structural=structural)
    yield from required_name_errors(spec.get("names") or {}, path / "names")
    yield from name_errors(spec.get("names") or {}, path / "names")
    has_status = any("status" in (internal.subresources(each) or {}) for each in internal.versions)
    whole = {**internal.shared, "name": ""}
    context = SchemaContext(demands, has_status, structural, unchanged=_first_name(internal) in demands.unchanged)
    yield from _content_errors(whole, path, context, schema_at=path / "validation")
    conversion = spec.get("conversion")
    if conversion is None:
        return
    if preserves and conversion.get("strategy", "") != "None":
        why = "must be None if spec.preserveUnknownFields is true"
        yield invalid(path / "conversion" / "strategy", conversion.get("strategy", ""), why)
    yield from conversion_errors(conversion, path / "conversion", demands)


def _place_errors(spec: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    group, scope = spec.get("group", ""), spec.get("scope", "")
    if not group:
        yield required(path / "group")
    elif problems := dns1123_subdomain(group):
        yield invalid(path / "group", group, ",".join(problems))
    elif "." not in group:
        yield invalid(path / "group", group, "should be a domain with at least one dot")
    if not scope:
        yield required(path / "scope")
    elif scope not in _SCOPES:
        yield not_supported(path / "scope", scope, _SCOPES)


def _missing_schema_errors(
    internal: InternalSpec, path: Path, demands: SchemaDemands, *, preserves: bool
) -> Iterator[FieldError]:
    if schema_of(internal.shared) is not None:
        return
    for number, version in enumerate(internal.versions):
        if schema_of(version) is not None:
            continue
        place = (path / "versions")[number] / "schema" / "openAPIV3Schema"
        if demands.openapi_schema:
            yield required(place)
        elif not preserves and version.get("served"):
            yield required(place, "because otherwise all fields are pruned")


def _any_schema(internal: InternalSpec, claim: Any) -> bool:
    schemas = (schema_of(holder) for holder in (internal.shared, *internal.versions))
    return any(schema is not None and claim(schema) for schema in schemas)


def _has_extensions(schema: Mapping[str, Any]) -> bool:
    return any(each.keys() & _EXTENSIONS for each in walk(schema))


def _must_be_structural(internal: InternalSpec, demands: SchemaDemands, *, preserves: bool) -> bool:
    return (
        demands.structural_schema
        or not preserves
        or _any_schema(internal, has_defaults)
        or _any_schema(internal, _has_extensions)
    )


def _first_name(internal: InternalSpec) -> str:
    return str(internal.versions[0].get("name", "")) if internal.versions else ""


def _version_errors(
    internal: InternalSpec, path: Path, demands: SchemaDemands, *, structural: bool
) -> Iterator[FieldError]:
    names: list[str] = []
    for number, version in enumerate(internal.versions):
        place, name = (path / "versions")[number], version.get("name", "")
        names.append(name)
        problems = dns1035_label(name)
        if problems:
            yield invalid(place / "name", name, ",".join(problems))
        yield from _warning_errors(version, place / "deprecationWarning")
        has_status = "status" in (internal.subresources(version) or {})
        context = SchemaContext(demands, has_status, structural, unchanged=name in demands.unchanged)
        yield from _content_errors(version, place, context, schema_at=place / "schema")
    if len(set(names)) != len(names):
        yield invalid(path / "versions", internal.shown(), "must contain unique version names")
    if sum(bool(version.get("storage")) for version in internal.versions) != 1:
        why = "must have exactly one version marked as storage version"
        yield invalid(path / "versions", internal.shown(), why)
    # The internal type has a version of its own: the first one's name.
    if (first := _first_name(internal)) and (problems := dns1035_label(first)):
        yield invalid(path / "version", first, ",".join(problems))


def _warning_errors(version: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    warning = version.get("deprecationWarning")
    if warning is None:
        return
    if not version.get("deprecated"):
        yield invalid(path, warning, "can only be set for deprecated versions")
        return
    if size(warning) > 256:
        yield invalid(path, warning, "must be <= 256 characters long")
    if not warning:
        yield invalid(path, warning, "must not be an empty string")
    for number, character in enumerate(warning):
        if not character.isprintable():
            yield invalid(path, warning, f"{_WRONG_WARNING}{size(warning[:number])}")
            break


def _content_errors(
    holder: Mapping[str, Any], path: Path, context: SchemaContext, *, schema_at: Path
) -> Iterator[FieldError]:
    """What a version says of its objects, or all versions together."""
    schema = schema_of(holder)
    if schema is not None:
        yield from schema_errors(schema, schema_at / "openAPIV3Schema", context)
    yield from subresource_errors(holder.get("subresources"), path / "subresources")
    for number, column in enumerate(holder.get("additionalPrinterColumns") or ()):
        yield from column_errors(column, (path / "additionalPrinterColumns")[number])
    fields = holder.get("selectableFields")
    if not fields:
        return
    if schema is None:
        # Where the schema is not the same in all versions but these fields are, Kubernetes has no schema for them.
        why = (
            "may only be set when `version.schema.openAPIV3Schema` is not included"
            if holder.get("name")
            else "may only be set when validations.schema is included"
        )
        yield invalid(path / "selectableFields", "", why)
        return
    any_number = holder.get("name", "") in context.demands.too_many_selectable
    yield from selectable_errors(fields, schema, path / "selectableFields", any_number=any_number)
