"""References to objects of whatever kind and version. Kubernetes: pkg/apis/autoscaling/validation,
ValidateCrossVersionObjectReference."""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objects import JSONObject


def reference_errors(
    reference: JSONObject, path: Path, *, skip_version: bool, allow_core: bool
) -> Iterator[FieldError]:
    for name in ("kind", "name"):
        value = reference.get(name, "")
        if not value:
            yield required(path / name)
        yield from (invalid(path / name, value, problem) for problem in path_segment_name(value))
    if not skip_version and (problem := version_problem(reference, allow_core=allow_core)):
        yield invalid(path / "apiVersion", reference.get("apiVersion", ""), problem)


def version_problem(reference: JSONObject, *, allow_core: bool) -> str:
    """What is wrong with its apiVersion; nothing if it is good. `allow_core` lets one without a group pass."""
    try:
        version = GroupVersion.parse(reference.get("apiVersion", ""))
    except ValueError as error:
        return str(error)
    return "" if version.group or allow_core else "apiVersion must specify API group"
