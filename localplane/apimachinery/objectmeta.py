"""Is an object's metadata in order? The same answer for every kind, built in or custom.

The schema decides on types before anybody comes here; a value of a wrong type counts as absent, and nothing raises.
Kubernetes: apimachinery/pkg/api/validation (objectmeta) and apimachinery/pkg/apis/meta/v1/validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from . import names
from .fieldpath import FieldError, Path, collected, forbidden, invalid, not_supported, required, too_long
from .golang.text import go_quote
from .groups import GroupVersion, GroupVersionKind
from .names import NameValidator, size
from .times import InvalidTime, parse_time

METADATA = Path("metadata")

_ANNOTATIONS_MAX = 256 * 1024
_FIELD_MANAGER_MAX = 128
_SUBRESOURCE_MAX = 256
_ORPHAN = "orphan"
_FOREGROUND = "foregroundDeletion"
# Events come by the thousand and go by themselves: nothing may hang on one.
_BANNED_OWNERS = frozenset({GroupVersionKind("", "v1", "Event")})
_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")


def validate_object_meta(
    metadata: Mapping[str, Any], *, namespaced: bool, validate_name: NameValidator, path: Path = METADATA
) -> list[FieldError]:
    """On create, after a name was generated and the namespace of the request filled in. Also part of every update."""
    return collected(
        _validate_names(metadata, path, validate_name),
        _validate_namespace(_text(metadata, "namespace"), path, namespaced=namespaced),
        *[validate(metadata[field], path / field) for field, validate in _ON_CREATE if metadata.get(field)],
    )


def _validate_names(metadata: Mapping[str, Any], path: Path, validate_name: NameValidator) -> list[FieldError]:
    generate_name, name = _text(metadata, "generateName"), _text(metadata, "name")
    errors = []
    if generate_name and (problems := validate_name(generate_name, prefix=True)):
        errors += _invalid_each(path / "generateName", generate_name, problems)
    if name:
        if problems := validate_name(name):
            errors += _invalid_each(path / "name", name, problems)
    else:
        errors.append(required(path / "name", "name or generateName is required"))
    return errors


def validate_object_meta_update(
    new: Mapping[str, Any], old: Mapping[str, Any], path: Path = METADATA
) -> list[FieldError]:
    """On update, after the server's own fields were copied from the old object into the new one."""
    errors: list[FieldError] = []
    if _text(old, "deletionTimestamp"):
        errors += _validate_no_new_finalizers(new, old, path / "finalizers")
    if not _text(new, "resourceVersion"):
        errors.append(invalid(path / "resourceVersion", "", "must be specified for an update"))
    generation = _number(new, "generation")
    errors += _validate_generation(generation, path / "generation")
    if generation < _number(old, "generation"):
        errors.append(invalid(path / "generation", generation, "must not be decremented"))
    return collected(
        errors,
        _validate_immutable(new, old, path),
        *[validate(new[field], path / field) for field, validate in _ON_UPDATE if new.get(field)],
    )


def _validate_immutable(new: Mapping[str, Any], old: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    for field in ("name", "namespace", "uid"):
        if _text(new, field) != _text(old, field):
            yield invalid(path / field, _text(new, field), "field is immutable")
    for field in ("creationTimestamp", "deletionTimestamp"):
        if not _same_time(_text(new, field), _text(old, field)):
            yield invalid(path / field, _text(new, field) or None, "field is immutable")
    grace = "deletionGracePeriodSeconds"
    if new.get(grace) != old.get(grace):
        yield invalid(path / grace, new.get(grace), "field is immutable")


def _same_time(one: str, other: str) -> bool:
    """The same instant, however it is written."""
    if one == other:
        return True
    try:
        return parse_time(one) == parse_time(other)
    except InvalidTime:
        return False


def _validate_namespace(namespace: str, path: Path, *, namespaced: bool) -> list[FieldError]:
    if not namespaced:
        return [forbidden(path / "namespace", "not allowed on this type")] if namespace else []
    if not namespace:
        return [required(path / "namespace")]
    problems = names.dns1123_label(namespace)
    return _invalid_each(path / "namespace", namespace, problems) if problems else []


def _validate_generation(generation: Any, path: Path) -> list[FieldError]:
    if isinstance(generation, int) and generation < 0:
        return [invalid(path, generation, "must be greater than or equal to 0")]
    return []


def validate_labels(labels: Any, path: Path) -> Iterator[FieldError]:
    for key, value in _texts(labels):
        if problems := names.qualified_name(key):
            yield from _invalid_each(path, key, problems)
        if problems := names.label_value(value):
            yield from _invalid_each(path, value, problems)


def validate_annotations(annotations: Any, path: Path) -> Iterator[FieldError]:
    total = 0
    for key, value in _texts(annotations):
        yield from _invalid_each(path, key, names.annotation_key(key))
        total += size(key) + size(value)
    if total > _ANNOTATIONS_MAX:
        yield too_long(path, _ANNOTATIONS_MAX)


def validate_owner_references(references: Any, path: Path) -> Iterator[FieldError]:
    owners = [_owner(reference) for reference in _items(references)]
    controller = ""
    for index, owner in enumerate(owners):
        yield from _validate_owner_reference(owner, path[index])
        if owner.get("controller") is not True:
            continue
        name = f"{owner['kind']}/{owner['name']}"
        if controller:
            yield invalid(
                path,
                owners,
                "Only one reference can have Controller set to true. "
                f'Found "true" in references for {controller} and {name}',
            )
        else:
            controller = name


def _owner(reference: Any) -> dict[str, Any]:
    """A reference in the order that Go prints it, with the fields that it always prints."""
    given = reference if isinstance(reference, dict) else {}
    owner: dict[str, Any] = {field: _text(given, field) for field in _OWNER_FIELDS[:4]}
    return owner | {field: given[field] for field in _OWNER_FIELDS[4:] if isinstance(given.get(field), bool)}


def _validate_owner_reference(owner: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    api_version = owner["apiVersion"]
    try:
        version = GroupVersion.parse(api_version)
    except ValueError:
        version = GroupVersion("", "")
    if api_version and not version.version:
        yield invalid(path / "apiVersion", api_version, "must be <group>/<version> or <version>")
    for field in ("apiVersion", "kind", "name", "uid"):
        if not owner[field]:
            yield required(path / field, "must not be empty")
    kind = version.kind(owner["kind"])
    if kind in _BANNED_OWNERS:
        yield invalid(path, owner, f"{kind} is disallowed from being an owner")


def validate_finalizers(finalizers: Any, path: Path) -> Iterator[FieldError]:
    given = [name for name in _items(finalizers) if isinstance(name, str)]
    for name in given:
        yield from _invalid_each(path, name, names.qualified_name(name))
    if _ORPHAN in given and _FOREGROUND in given:
        yield invalid(path, given, f"finalizer {_ORPHAN} and {_FOREGROUND} cannot be both set")


def validate_kube_finalizers(metadata: Mapping[str, Any], path: Path = METADATA) -> Iterator[FieldError]:
    """What Kubernetes' own kinds ask of finalizers on top, on create and on update. Custom resources are free."""
    for index, name in enumerate(_items(metadata.get("finalizers"))):
        if isinstance(name, str):
            yield from _invalid_each((path / "finalizers")[index], name, names.kube_finalizer_name(name))


def _validate_no_new_finalizers(new: Mapping[str, Any], old: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    known = {name for name in _items(old.get("finalizers")) if isinstance(name, str)}
    added = {name for name in _items(new.get("finalizers")) if isinstance(name, str) and name not in known}
    if added:
        listed = ", ".join(go_quote(name) for name in sorted(added))
        yield forbidden(
            path,
            f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{listed}}}",
        )


def validate_managed_fields(entries: Any, path: Path) -> Iterator[FieldError]:
    for index, entry in enumerate(_items(entries)):
        given = entry if isinstance(entry, dict) else {}
        yield from _validate_managed_fields_entry(given, path[index])


def _validate_managed_fields_entry(entry: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    operation, fields_type = _text(entry, "operation"), _text(entry, "fieldsType")
    if not operation:
        yield required(path / "operation", "must not be empty")
    elif operation not in ("Apply", "Update"):
        yield not_supported(path / "operation", operation, ("Apply", "Update"))
    if fields_type and fields_type != "FieldsV1":
        yield invalid(path / "fieldsType", fields_type, "must be `FieldsV1`")
    manager, subresource = _text(entry, "manager"), _text(entry, "subresource")
    if not _is_field_manager(manager):
        yield from validate_field_manager(manager, path / "manager")
    if subresource and size(subresource) > _SUBRESOURCE_MAX:
        yield too_long(path / "subresource", _SUBRESOURCE_MAX)


def validate_field_manager(manager: str, path: Path) -> Iterator[FieldError]:
    """Also for the fieldManager of a request's options."""
    if _is_field_manager(manager):
        return
    if size(manager) > _FIELD_MANAGER_MAX:
        yield too_long(path, _FIELD_MANAGER_MAX)
    for index, character in enumerate(manager):
        if not character.isprintable():
            position = size(manager[:index])
            yield invalid(path, manager, f"invalid character U+{ord(character):04X} (at position {position})")


def _is_field_manager(manager: str) -> bool:
    return manager.isprintable() and size(manager) <= _FIELD_MANAGER_MAX


_ON_UPDATE: Final[tuple[tuple[str, Callable[[Any, Path], Iterable[FieldError]]], ...]] = (
    ("labels", validate_labels),
    ("annotations", validate_annotations),
    ("ownerReferences", validate_owner_references),
    ("managedFields", validate_managed_fields),
)
_ON_CREATE: Final = (
    ("generation", _validate_generation),
    *_ON_UPDATE[:-1],
    ("finalizers", validate_finalizers),
    _ON_UPDATE[-1],
)
"""Fields in the order in which Kubernetes looks at them. One that is absent or empty is in order."""


def _invalid_each(path: Path, value: str, problems: Iterable[str]) -> list[FieldError]:
    return [invalid(path, value, problem) for problem in problems]


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _number(values: Mapping[str, Any], name: str) -> int:
    value = values.get(name)
    return value if isinstance(value, int) else 0


def _items(values: Any) -> list[Any]:
    return values if isinstance(values, list) else []


def _texts(values: Any) -> Iterator[tuple[str, str]]:
    """The entries of a map of texts; a value that is none is an empty one."""
    if isinstance(values, dict):
        for key, value in values.items():
            yield str(key), value if isinstance(value, str) else ""
