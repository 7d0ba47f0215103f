"""What a definition may have, but is told about. Kubernetes: strategy.go, WarningsOnCreate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.schema.formats import effective_format

from .internal import InternalSpec, internal_spec, schema_of
from .schemas import walk

_NOT_SUPPORTED = "is not supported by server-side apply or CEL validation rules"


def schema_warnings(obj: Mapping[str, Any]) -> list[str]:
    """Formats that nobody checks, and sets of things that can't be told apart."""
    formats, sets = list[str](), set[str]()
    for schema in _schemas(internal_spec(obj.get("spec") or {})):
        for each in walk(schema):
            format_ = each.get("format", "")
            if format_ and not effective_format(each.get("type", ""), format_):
                formats.append(f"unrecognized format {go_quote(format_)}")
            items = each.get("items")
            if each.get("x-kubernetes-list-type") == "set" and isinstance(items, dict):
                type_ = items.get("type")
                if type_ in ("object", "array"):
                    sets.add(f"x-kubernetes-list-type: set for items of type {go_quote(type_)} {_NOT_SUPPORTED}")
    return [*formats, *sorted(sets)]


def _schemas(internal: InternalSpec) -> list[Mapping[str, Any]]:
    found = (schema_of(holder) for holder in (internal.shared, *internal.versions))
    return [schema for schema in found if schema is not None]
