"""The options of create, update and patch.

Kubernetes: apimachinery/pkg/apis/meta/v1/validation.
"""

from __future__ import annotations

from localplane.apimachinery.errors import Invalid
from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, not_supported, required
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.objectmeta import validate_field_manager
from localplane.apiserver.registry.rest import WriteOptions
from localplane.apiserver.request import Query

from .parameters import OPTIONS_GROUP

_FIELD_VALIDATIONS = ("", "Ignore", "Strict", "Warn")


def write_options(query: Query, kind: str) -> WriteOptions:
    """CreateOptions or UpdateOptions; `kind` is what an error calls them."""
    return _checked(query, kind, [])


def patch_options(query: Query, *, apply: bool) -> WriteOptions:
    """PatchOptions: server-side apply needs a manager and may use force; other patches may not."""
    errors: list[FieldError] = []
    if apply and not query.get("fieldManager"):
        errors.append(required("fieldManager", "is required for apply patch"))
    if not apply and "force" in query:
        errors.append(forbidden("force", "may not be specified for non-apply patch"))
    return _checked(query, "PatchOptions", errors)


def _checked(query: Query, kind: str, errors: list[FieldError]) -> WriteOptions:
    manager, validation = query.get("fieldManager"), query.get("fieldValidation")
    dry_run = list(query.all("dryRun"))
    errors += validate_field_manager(manager, Path("fieldManager"))
    errors += dry_run_errors(dry_run)
    if validation not in _FIELD_VALIDATIONS:
        errors.append(not_supported("fieldValidation", validation, _FIELD_VALIDATIONS))
    if errors:
        raise Invalid.of(GroupKind(OPTIONS_GROUP, kind), "", errors)
    return WriteOptions(dry_run=bool(dry_run), field_manager=manager, field_validation=validation)


def dry_run_errors(values: list[str]) -> list[FieldError]:
    if any(value != "All" for value in values):
        return [not_supported("dryRun", values, ("All",))]
    return []
