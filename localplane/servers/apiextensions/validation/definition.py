"""A whole definition, new or changed. Kubernetes: ValidateCustomResourceDefinition and its Update and Status forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid
from localplane.apimachinery.names import NameValidator, dns1123_subdomain
from localplane.apimachinery.objectmeta import validate_object_meta, validate_object_meta_update
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.metadata import immutable_errors
from localplane.servers.apiextensions.rules import RuleCompiler

from .approval import approval_errors
from .demands import SchemaDemands, demands_on_update
from .names import name_errors
from .spec import spec_errors

_SPEC, _STATUS = Path("spec"), Path("status")
_CANNOT_PRESERVE: Final = (
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
)


def definition_errors(obj: JSONObject, rules: RuleCompiler) -> list[FieldError]:
    spec = obj.get("spec") or {}
    return collected(
        validate_object_meta(obj["metadata"], namespaced=False, validate_name=_named(spec)),
        spec_errors(spec, _SPEC, SchemaDemands(rules=rules)),
        _status_errors(obj),
        approval_errors(obj, None),
        _preserving_errors(spec, {}),
    )


def definition_update_errors(obj: JSONObject, old: JSONObject, rules: RuleCompiler) -> list[FieldError]:
    """A spec that has not changed is as good as it was."""
    spec, before = obj.get("spec") or {}, old.get("spec") or {}
    changed = [] if spec == before else _spec_update_errors(obj, old, rules)
    return collected(
        validate_object_meta_update(obj["metadata"], old["metadata"]),
        changed,
        _status_errors(obj),
        approval_errors(obj, old),
        _preserving_errors(spec, before),
    )


def status_update_errors(obj: JSONObject, old: JSONObject) -> list[FieldError]:
    return collected(
        validate_object_meta_update(obj["metadata"], old["metadata"]),
        _accepted_name_errors(obj.get("status") or {}),
    )


def _named(spec: JSONObject) -> NameValidator:
    wanted = f"{(spec.get('names') or {}).get('plural', '')}.{spec.get('group', '')}"

    def validate(name: str, /, *, prefix: bool = False) -> list[str]:
        problems = dns1123_subdomain(name, prefix=prefix)
        return problems if name == wanted else [*problems, 'must be spec.names.plural+"."+spec.group']

    return validate


def _spec_update_errors(obj: JSONObject, old: JSONObject, rules: RuleCompiler) -> Iterator[FieldError]:
    demands = demands_on_update(obj, old, rules)
    spec, before = obj.get("spec") or {}, old.get("spec") or {}
    names, old_names = spec.get("names") or {}, before.get("names") or {}
    yield from spec_errors(spec, _SPEC, demands)
    if demands.immutable_names:
        yield from immutable_errors(spec.get("scope", ""), before.get("scope", ""), _SPEC / "scope")
        kind = _SPEC / "names" / "kind"
        yield from immutable_errors(names.get("kind", ""), old_names.get("kind", ""), kind)
    yield from immutable_errors(spec.get("group", ""), before.get("group", ""), _SPEC / "group")
    plural = _SPEC / "names" / "plural"
    yield from immutable_errors(names.get("plural", ""), old_names.get("plural", ""), plural)


def _accepted_name_errors(status: JSONObject) -> Iterator[FieldError]:
    return name_errors(status.get("acceptedNames") or {}, _STATUS / "acceptedNames")


def _status_errors(obj: JSONObject) -> Iterator[FieldError]:
    status = obj.get("status") or {}
    yield from _accepted_name_errors(status)
    versions = (obj.get("spec") or {}).get("versions") or ()
    yield from _stored_version_errors(status.get("storedVersions") or (), versions, _STATUS / "storedVersions")


def _stored_version_errors(stored: Sequence[str], versions: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    if not stored:
        yield invalid(path, None, "must have at least one stored version")
        return
    left = {name: number for number, name in enumerate(stored)}
    for version in versions:
        name = version.get("name", "")
        # Each stored version answers for one declared version only.
        if left.pop(name, None) is None and version.get("storage"):
            yield invalid(path, list(stored), f"must have the storage version {name}")
    for name, number in left.items():
        why = (
            f"missing from spec.versions; {name} was previously a storage version, and must remain in"
            f" spec.versions until a storage migration ensures no data remains persisted in {name} and removes"
            f" {name} from status.storedVersions"
        )
        yield invalid(path[number], name, why)


def _preserving_errors(spec: JSONObject, old: JSONObject) -> list[FieldError]:
    if not spec.get("preserveUnknownFields") or old.get("preserveUnknownFields"):
        return []
    return [invalid(_SPEC / "preserveUnknownFields", spec["preserveUnknownFields"], _CANNOT_PRESERVE)]
