"""The names of a custom resource. Kubernetes: ValidateCustomResourceDefinitionNames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.names import dns1035_label

_MIXED = "may have mixed case, but should otherwise match: "


def required_name_errors(names: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    """Accepted names may be empty, but not those that are asked for."""
    for key in ("plural", "singular", "kind", "listKind"):
        if not names.get(key):
            yield required(path / key)


def name_errors(names: Mapping[str, Any], path: Path) -> Iterator[FieldError]:
    for key in ("plural", "singular"):
        yield from _label_errors(names.get(key, ""), path / key)
    for key in ("kind", "listKind"):
        name = names.get(key, "")
        problems = dns1035_label(name.lower()) if name else []
        if problems:
            yield invalid(path / key, name, _MIXED + ",".join(problems))
    yield from _each_label(names, "shortNames", path)
    if names.get("kind") and names["kind"] == names.get("listKind"):
        yield invalid(path / "listKind", names["listKind"], "kind and listKind may not be the same")
    yield from _each_label(names, "categories", path)


def _label_errors(name: str, path: Path) -> Iterator[FieldError]:
    problems = dns1035_label(name) if name else []
    if problems:
        yield invalid(path, name, ",".join(problems))


def _each_label(names: Mapping[str, Any], key: str, path: Path) -> Iterator[FieldError]:
    for number, name in enumerate(names.get(key) or ()):
        problems = dns1035_label(name)
        if problems:
            yield invalid((path / key)[number], name, ",".join(problems))
