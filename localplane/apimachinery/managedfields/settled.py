"""Sets of fields that need no second look.

What is read must be checked twice: whether it is spelled as we write it, and whether the schema of today still allows
it. But whoever keeps an object up to date writes it again and again, and what its managers own hardly ever changes.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

_MOST: Final = 4096


class Settled:
    """The sets that were met lately and found to be in order, of one kind. Fingerprints of 64 bits stand for them."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def __contains__(self, entry: dict[str, Any]) -> bool:
        return bool(self._seen) and self._fingerprint(entry) in self._seen

    def add(self, entry: dict[str, Any]) -> None:
        if len(self._seen) >= _MOST:
            self._seen.clear()
        self._seen.add(self._fingerprint(entry))

    @staticmethod
    def _fingerprint(entry: dict[str, Any]) -> int:
        try:
            return hash(orjson.dumps((entry.get("apiVersion"), entry.get("fieldsV1"))))
        except orjson.JSONEncodeError:  # a number beyond all measure: it is in no set that is in order
            return 0
