"""JSON off the wire. orjson takes longer to import than a small answer takes to read, so it reads the large ones."""

from __future__ import annotations

import json
import sys

from localplane.apimachinery.light_typing import Any

_LARGE = 200_000


def loads(body: bytes) -> Any:
    """Raises ValueError."""
    if len(body) >= _LARGE or "orjson" in sys.modules:
        import orjson

        return orjson.loads(body)
    return json.loads(body)


def dumps(value: Any) -> bytes:
    if "orjson" in sys.modules:
        import orjson

        return orjson.dumps(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
