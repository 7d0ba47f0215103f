"""The fields that a custom resource can be selected by. Kubernetes: pkg/registry/customresource/strategy.go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from localplane.apimachinery.gotext import go_plain
from localplane.apimachinery.schema import Schema
from localplane.apiserver.registry.definition import SelectableField
from localplane.apiserver.storage.objects import StoredObject

from .nested import elements


def selectable_fields(
    declared: Sequence[Mapping[str, str]], schema: Callable[[], Schema]
) -> dict[str, SelectableField]:
    """By their names, which are paths without the first dot."""
    return {each["jsonPath"].removeprefix("."): _field(each["jsonPath"], schema) for each in declared}


def _field(path: str, schema: Callable[[], Schema]) -> SelectableField:
    """A default that came after the object counts as well."""
    names = elements(path)

    def select(stored: StoredObject) -> str:
        value: Any = stored.decode()
        schema().default(value)
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        if value is None or isinstance(value, (dict, list)):
            return ""
        return go_plain(value)

    return select
