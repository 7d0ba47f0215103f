"""Tables: what `kubectl get` prints, computed here so that every client shows the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.registry.rest import Result
from localplane.apiserver.resource import NAME_COLUMN, Column

from .negotiation import Target
from .objects import partial_json, versioned


def _created_at(obj: JSONObject) -> Any:
    return (obj.get("metadata") or {}).get("creationTimestamp") or "0001-01-01T00:00:00Z"


_CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"

# What clients are told of it, word for word as Kubernetes tells it.
ABOUT_CREATION = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed"
    " to be set in happens-before order across separate operations. Clients may not set this value. It is represented"
    " in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info:"
    f" {_CONVENTIONS}"
)

DEFAULT_COLUMNS = (NAME_COLUMN, Column("Created At", _created_at, type="date", description=ABOUT_CREATION))


def columns_of(served: Served) -> Sequence[Column]:
    return served.version.columns or DEFAULT_COLUMNS


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


def _cells(served: Served, obj: JSONObject) -> list[Any]:
    cells = served.version.cells
    return cells(obj) if cells is not None else [column.value(obj) for column in columns_of(served)]


def row(served: Served, obj: JSONObject, target: Target) -> JSONObject:
    """One object's row, with as much of the object as the client asked for."""
    made: JSONObject = {"cells": _cells(served, obj)}
    row_conditions = served.version.row_conditions
    if row_conditions is not None and (conditions := row_conditions(obj)):
        made["conditions"] = conditions
    match target.include_object:
        case "None":
            return made | {"object": None}
        case "Object":
            return made | {"object": obj}
        case _:
            return made | {"object": partial(obj, target.transform_version)}


def row_json(served: Served, item: Result, *, target: Target) -> bytes:
    """The same as JSON. What the row shows of a stored object is cut out of its bytes where that is possible."""
    obj = versioned(served, item)
    pieces = [b'{"cells":', to_json(_cells(served, obj))]
    row_conditions = served.version.row_conditions
    if row_conditions is not None and (conditions := row_conditions(obj)):
        pieces += (b',"conditions":', to_json(conditions))
    match target.include_object:
        case "None":
            shown = b"null"
        case "Object":
            shown = to_json(obj)
        case _:
            shown = partial_json(served, item, version=target.transform_version)
    return b"".join((*pieces, b',"object":', shown, b"}"))


def bookmark_row(served: Served, obj: JSONObject, target: Target) -> JSONObject:
    """The row of a bookmark, an object that has no name and no fields. Cells that somebody declared may count on more
    than that: they are null."""
    nameless = {**obj, "metadata": {"name": "", **obj["metadata"]}}
    try:
        cells = _cells(served, nameless)
    except (LookupError, TypeError, AttributeError, ValueError):
        cells = [None] * len(columns_of(served))
    return {"cells": cells, "object": partial(obj, target.transform_version)}


def partial(obj: JSONObject, api_version: str) -> JSONObject:
    """The object's metadata alone, as PartialObjectMetadata."""
    return {"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": obj.get("metadata") or {}}


def table(
    served: Served, rows: list[JSONObject], list_meta: JSONObject, target: Target, *, headers: bool = True
) -> JSONObject:
    """Without `headers` it is a later event of a watch, whose first one has told the columns. No rows are null, except
    for printed kinds: Kubernetes' two ways to make tables differ in that."""
    return {
        "kind": "Table",
        "apiVersion": target.transform_version,
        "metadata": list_meta,
        "columnDefinitions": definitions(columns_of(served)) if headers else None,
        "rows": rows if rows or served.version.printed else None,
    }
