"""The fields that a custom resource can be selected by. Kubernetes: pkg/registry/customresource/strategy.go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from localplane.apimachinery.gotext import go_plain
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Schema
from localplane.apiserver.registry.selectable import Select, SelectableField, selectable_fields

from .nested import elements


def declared_fields(declared: Sequence[Mapping[str, str]], schema: Callable[[], Schema]) -> dict[str, SelectableField]:
    """By their names, which are paths without the first dot. A default that came after the object counts as well."""
    selects = {each["jsonPath"].removeprefix("."): _at(each["jsonPath"]) for each in declared}
    return selectable_fields(selects, prepare=lambda obj: schema().default(obj))


def _at(path: str) -> Select:
    names = elements(path)

    def select(obj: JSONObject) -> str:
        value: Any = obj
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        if value is None or isinstance(value, (dict, list)):
            return ""
        return go_plain(value)

    return select
