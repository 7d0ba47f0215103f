"""Values at a path of an object that may have anything anywhere.

Kubernetes: apimachinery/pkg/apis/meta/v1/unstructured, NestedInt64 and its siblings.
"""

from __future__ import annotations

from typing import Any, Final

from localplane.apimachinery.golang.text import go_plain, go_type_name

_ABSENT: Final = object()


class WrongKind(ValueError):
    """There is something at the path, or on the way to it, but of another type."""


def elements(path: str) -> list[str]:
    """`.spec.replicas` as its parts."""
    return path.removeprefix(".").split(".")


def nested_integer(obj: dict[str, Any], path: str) -> int | None:
    value = _nested(obj, path)
    if value is _ABSENT:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongKind(_wrong(path, value, "int64"))
    return value


def nested_text(obj: dict[str, Any], path: str) -> str:
    value = _nested(obj, path)
    if value is _ABSENT:
        return ""
    if not isinstance(value, str):
        raise WrongKind(_wrong(path, value, "string"))
    return value


def set_nested(obj: dict[str, Any], path: str, value: Any) -> None:
    """Objects on the way are made where there are none."""
    *way, last = elements(path)
    current = obj
    for depth, name in enumerate(way):
        current = current.setdefault(name, {})
        if not isinstance(current, dict):
            shown = ".".join(way[: depth + 1])
            raise WrongKind(f"value cannot be set because .{shown} is not a map[string]interface{{}}")
    current[last] = value


def _nested(obj: dict[str, Any], path: str) -> Any:
    value: Any = obj
    parts = elements(path)
    for depth, name in enumerate(parts):
        if not isinstance(value, dict):
            raise WrongKind(_wrong(path, value, "map[string]interface{}"))
        if name not in value:
            return _ABSENT
        value = value[name]
        if value is None and depth < len(parts) - 1:
            return _ABSENT
    return value


def _wrong(path: str, value: Any, wanted: str) -> str:
    shown = path if path.startswith(".") else f".{path}"
    return f"{shown} accessor error: {go_plain(value)} is of the type {go_type_name(value)}, expected {wanted}"
