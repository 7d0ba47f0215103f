"""Groups of the Kubernetes community are protected: a definition in one says who approved it.

Kubernetes: pkg/apihelpers, IsProtectedCommunityGroup, GetAPIApprovalState.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final
from urllib.parse import urlsplit

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.golang.text import go_quote

ANNOTATION: Final = "api-approved.kubernetes.io"
_SEE: Final = "see https://github.com/kubernetes/enhancements/pull/1111"


class Approval(Enum):
    """The reason of the condition that tells it."""

    INVALID = "InvalidAnnotation"
    MISSING = "MissingAnnotation"
    APPROVED = "ApprovedAnnotation"
    BYPASSED = "UnapprovedAnnotation"


def is_protected(group: str) -> bool:
    return f".{group}".endswith((".k8s.io", ".kubernetes.io"))


def approval_of(obj: Mapping[str, Any]) -> Approval:
    annotation = _annotation(obj)
    if not annotation:
        return Approval.MISSING
    if annotation.startswith("unapproved"):
        return Approval.BYPASSED
    try:
        url = urlsplit(annotation)
    except ValueError:
        return Approval.INVALID
    return Approval.APPROVED if url.scheme and url.netloc else Approval.INVALID


def approval_message(obj: Mapping[str, Any]) -> str:
    annotation, must = _annotation(obj), f"protected groups must have approval annotation {go_quote(ANNOTATION)}"
    match approval_of(obj):
        case Approval.MISSING:
            return f"{must}, {_SEE}"
        case Approval.BYPASSED:
            return f"not approved: {go_quote(annotation)}"
        case Approval.APPROVED:
            return f"approved in {annotation}"
        case _:
            return f'{must} with either a URL or a reason starting with "unapproved", {_SEE}'


def approval_errors(obj: Mapping[str, Any], old: Mapping[str, Any] | None) -> list[FieldError]:
    """What was not approved before may stay so."""
    if not is_protected((obj.get("spec") or {}).get("group", "")):
        return []
    state = approval_of(obj)
    if old is not None and approval_of(old) is state:
        return []
    path = Path("metadata.annotations")[ANNOTATION]
    match state:
        case Approval.MISSING:
            return [required(path, approval_message(obj))]
        case Approval.INVALID:
            return [invalid(path, _annotation(obj), approval_message(obj))]
    return []


def _annotation(obj: Mapping[str, Any]) -> str:
    return str(((obj.get("metadata") or {}).get("annotations") or {}).get(ANNOTATION, ""))
