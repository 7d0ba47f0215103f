"""Bodies as an audit event holds them: JSON, whatever form they were sent in.

Nothing here raises: a body that can't be read is left out, and whoever serves the request tells the client.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from localplane.apimachinery.serializers import parse_yaml
from localplane.apimachinery.serializers.errors import SerializationError


def parsed(body: bytes | Sequence[bytes], content_type: str) -> Any:
    """The body's value, or None: there is none, it is in a form that has no JSON, or it is broken."""
    data = body if isinstance(body, bytes) else b"".join(body)
    if not data or "protobuf" in content_type:
        return None
    try:
        if "yaml" in content_type:
            return parse_yaml(data).value
        return orjson.loads(data)
    except (SerializationError, orjson.JSONDecodeError):
        return None


def without_managed_fields(value: Any) -> Any:
    """A copy, as deep as it must be: the object's own, its items', and its rows'."""
    if not isinstance(value, dict):
        return value
    copy = dict(value)
    if isinstance(copy.get("metadata"), dict):
        copy["metadata"] = {key: item for key, item in copy["metadata"].items() if key != "managedFields"}
    if isinstance(copy.get("items"), list):
        copy["items"] = [without_managed_fields(item) for item in copy["items"]]
    if isinstance(copy.get("rows"), list):
        copy["rows"] = [_row(row) for row in copy["rows"]]
    return copy


def _row(row: Any) -> Any:
    if not isinstance(row, dict) or "object" not in row:
        return row
    return row | {"object": without_managed_fields(row["object"])}
