"""The revision that a deployment is to go back to: a field of versions long gone, which lives on as an annotation.

Kubernetes: pkg/apis/apps/v1/conversion.go, Convert_v1_Deployment_To_apps_Deployment.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.fieldpath import FieldError, Path
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.validation.values import not_negative

from .go_integers import NotAnInteger, parse_int64

_ANNOTATION = "deprecated.deployment.rollback.to"


def check_rollback(obj: JSONObject) -> None:
    """Bring the annotation to the form that the field would give it; raises BadRequest if it holds no number."""
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    if _ANNOTATION not in annotations:
        return
    if not (revision := annotations[_ANNOTATION]):
        del annotations[_ANNOTATION]
        return
    try:
        annotations[_ANNOTATION] = str(parse_int64(revision))
    except NotAnInteger as error:
        why = f"failed to parse annotation[{_ANNOTATION}]={revision} as int64: {error}"
        raise BadRequest(f'Deployment in version "v1" cannot be handled as a Deployment: {why}') from error


def rollback_errors(obj: JSONObject, path: Path) -> Iterator[FieldError]:
    revision = ((obj.get("metadata") or {}).get("annotations") or {}).get(_ANNOTATION)
    if revision:
        yield from not_negative(int(revision), path / "rollback" / "version")
