"""What is asked of a definition. One that is stored already may break some rules, which were made after it was: what
it breaks, it may go on breaking. Kubernetes: pkg/apis/apiextensions/validation, validationOptions."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.servers.apiextensions.internal import InternalSpec, internal_spec, schema_of
from localplane.servers.apiextensions.rules import RuleCompiler
from localplane.servers.apiextensions.schemas import has_defaults, walk
from localplane.servers.apiextensions.status import is_true
from localplane.tls.authorities import NoAuthorities
from localplane.tls.verification import Pool

from .list_types import key_errors, non_atomic_set
from .structural import is_structural
from .unpruned import has_unpruned_defaults

Schema = Mapping[str, Any]

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")
MAX_SELECTABLE_FIELDS: Final = 8
REVIEW_VERSIONS: Final = ("v1", "v1beta1")


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaDemands:
    """As of a new definition. `too_many_selectable` are the versions that may have too many of those fields; the empty
    name is the spec itself. `unchanged` are the versions whose schema is the old one's. `rules` compiles theirs."""

    recognized_review_version: bool = True
    immutable_names: bool = False
    openapi_schema: bool = True
    valid_types: bool = True
    structural_schema: bool = True
    pruned_defaults: bool = True
    atomic_sets: bool = True
    list_map_keys: bool = True
    valid_ca_bundle: bool = False
    too_many_selectable: frozenset[str] = frozenset()
    unchanged: frozenset[str] = frozenset()
    rules: RuleCompiler = field(default_factory=RuleCompiler)


def demands_on_update(new: JSONObject, old: JSONObject, rules: RuleCompiler) -> SchemaDemands:
    spec = old.get("spec") or {}
    internal = internal_spec(spec)
    schemas = list(_schemas(internal))
    parts = [part for schema in schemas for part in walk(schema)]
    return SchemaDemands(
        recognized_review_version=_recognizes_reviews(spec),
        immutable_names=is_true(old, "Established"),
        openapi_schema=_all_have_schemas(internal),
        valid_types=all(part.get("type", "object") in TYPES for part in parts),
        structural_schema=all(is_structural(schema) for schema in schemas),
        pruned_defaults=not any(has_defaults(schema) and has_unpruned_defaults(schema) for schema in schemas),
        atomic_sets=not any(non_atomic_set(part) for part in parts),
        list_map_keys=not any(key_errors(part, Path()) for part in parts),
        valid_ca_bundle=_must_have_valid_bundle(old),
        too_many_selectable=_too_many_selectable(internal, internal_spec(new.get("spec") or {})),
        unchanged=_unchanged(new, old),
        rules=rules,
    )


def _schemas(internal: InternalSpec) -> Iterator[Schema]:
    for holder in (internal.shared, *internal.versions):
        schema = schema_of(holder)
        if schema is not None:
            yield schema


def _recognizes_reviews(spec: Mapping[str, Any]) -> bool:
    versions = review_versions(spec.get("conversion") or {})
    return not versions or any(version in REVIEW_VERSIONS for version in versions)


def review_versions(conversion: Mapping[str, Any]) -> list[str]:
    versions: list[str] = (conversion.get("webhook") or {}).get("conversionReviewVersions") or []
    return versions


def client_config(conversion: Mapping[str, Any]) -> JSONObject | None:
    config: JSONObject | None = (conversion.get("webhook") or {}).get("clientConfig")
    return config


def _all_have_schemas(internal: InternalSpec) -> bool:
    return schema_of(internal.shared) is not None or all(schema_of(each) is not None for each in internal.versions)


def _must_have_valid_bundle(old: JSONObject) -> bool:
    """Once a definition is served, its bundle stays good; before that, a bad one only keeps it from being served."""
    if not is_true(old, "Established"):
        return False
    config = client_config((old.get("spec") or {}).get("conversion") or {}) or {}
    bundle = config.get("caBundle")
    return not bundle or not ca_bundle_errors(bundle, Path("caBundle"))


def _too_many_selectable(old: InternalSpec, new: InternalSpec) -> frozenset[str]:
    before = {"": old.shared, **{each["name"]: each for each in old.versions}}
    now = {"": new.shared, **{each.get("name", ""): each for each in new.versions}}
    found = []
    for name, holder in now.items():
        fields = before.get(name, {}).get("selectableFields") or ()
        if len(fields) > MAX_SELECTABLE_FIELDS and fields == holder.get("selectableFields"):
            found.append(name)
    return frozenset(found)


def _unchanged(new: JSONObject, old: JSONObject) -> frozenset[str]:
    before = {each["name"]: each.get("schema") for each in (old.get("spec") or {}).get("versions") or ()}
    versions = (new.get("spec") or {}).get("versions") or ()
    return frozenset(
        each.get("name", "")
        for each in versions
        if each.get("name") in before and before[each["name"]] == each.get("schema")
    )


def ca_bundle_errors(encoded: str, path: Path) -> list[FieldError]:
    """`encoded` is base64 of PEM; nothing is no bundle, and fine."""
    bundle = base64.b64decode(encoded)
    if not bundle:
        return []
    try:
        Pool.of_bundle(bundle)
    except NoAuthorities as problem:
        return [invalid(path, encoded, str(problem))]
    return []
