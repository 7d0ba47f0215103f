"""Tables: what `kubectl get` prints, computed here so that every client shows the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apiserver.resource import Column

from .negotiation import Target
from .scope import Scope

JSONObject = dict[str, Any]


def _name(obj: JSONObject) -> Any:
    return (obj.get("metadata") or {}).get("name", "")


def _created_at(obj: JSONObject) -> Any:
    return (obj.get("metadata") or {}).get("creationTimestamp")


DEFAULT_COLUMNS = (
    Column("Name", _name, format="name", description="Name must be unique within a namespace."),
    Column("Created At", _created_at, type="date", description="When the server created the object."),
)


def columns_of(scope: Scope) -> Sequence[Column]:
    return scope.columns or DEFAULT_COLUMNS


def definitions(columns: Sequence[Column]) -> list[JSONObject]:
    return [
        {
            "name": column.name,
            "type": column.type,
            "format": column.format,
            "description": column.description,
            "priority": column.priority,
        }
        for column in columns
    ]


def row(scope: Scope, obj: JSONObject, target: Target) -> JSONObject:
    """One object's row, with as much of the object as the client asked for."""
    made: JSONObject = {
        "cells": scope.cells(obj) if scope.cells else [column.value(obj) for column in columns_of(scope)]
    }
    if scope.row_conditions is not None and (conditions := scope.row_conditions(obj)):
        made["conditions"] = conditions
    match target.include_object:
        case "None":
            return made | {"object": None}
        case "Object":
            return made | {"object": obj}
        case _:
            return made | {"object": partial(obj, target.transform_version)}


def empty_row(scope: Scope, obj: JSONObject, target: Target) -> JSONObject:
    """The row of something that is no object of its kind: a bookmark."""
    return {"cells": [None] * len(columns_of(scope)), "object": partial(obj, target.transform_version)}


def partial(obj: JSONObject, api_version: str) -> JSONObject:
    """The object's metadata alone, as PartialObjectMetadata."""
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": obj.get("metadata") or {}}


def table(
    scope: Scope, rows: list[JSONObject], list_meta: JSONObject, target: Target, *, headers: bool = True
) -> JSONObject:
    """Without `headers` it is a later event of a watch, whose first one has told the columns."""
    return {
        "kind": "Table",
        "apiVersion": target.transform_version,
        "metadata": list_meta,
        "columnDefinitions": definitions(columns_of(scope)) if headers else None,
        "rows": rows,
    }
