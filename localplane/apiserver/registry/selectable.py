"""The fields that objects are selected by: read from an object once, and kept with it.

A selector asks each object, and each watch with a selector asks for each event twice; to parse the object each time
would cost more than all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from secrets import token_hex

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.objects import MemoKey, StoredObject

SelectableField = Callable[[StoredObject], str]
Select = Callable[[JSONObject], str]


def selectable_fields(
    selects: Mapping[str, Select], *, prepare: Callable[[JSONObject], object] | None = None
) -> dict[str, SelectableField]:
    """Given how each field is found in an object, after it was prepared."""
    mark = token_hex(4)
    keys = {name: MemoKey(f"field {name}", mark) for name in selects}

    def read(stored: StoredObject) -> None:
        """All of them: whoever parses the object for one field has it for the others too."""
        obj = stored.decode()
        if prepare is not None:
            prepare(obj)
        for name, select in selects.items():
            stored.keep(keys[name], select(obj))

    return {name: partial(_value, key.full, read) for name, key in keys.items()}


def _value(key: str, read: Callable[[StoredObject], None], stored: StoredObject) -> str:
    found: str | None = stored.memo.get(key) if stored.memo else None
    if found is None:
        read(stored)
        assert stored.memo is not None
        found = str(stored.memo[key])
    return found
