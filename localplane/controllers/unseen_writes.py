"""What a controller has written and its informers have not shown yet.

Whoever acts on a copy that lacks their own last writes does things twice. Kubernetes:
pkg/controller/util/consistency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from localplane.client import SharedInformer, object_key

from .worker import TryAfter

_SOON: Final = timedelta(milliseconds=50)
"""What is waited for is news, and news calls its controller; this is for the case that it does not."""


@dataclass(frozen=True, slots=True)
class _Write:
    informer: SharedInformer
    key: str
    version: int

    def is_seen(self) -> bool:
        """The copy has it in this version or a later one; or it is gone again, if the copy is of later."""
        stored = self.informer.indexer.get(self.key)
        if stored is not None:
            return _version(stored["metadata"].get("resourceVersion")) >= self.version
        return _version(self.informer.last_sync_resource_version) >= self.version


class UnseenWrites:
    """Writes by the key of the object whose controller made them."""

    def __init__(self) -> None:
        self._writes: dict[str, list[_Write]] = {}

    def wrote(self, key: str, informer: SharedInformer, answer: Mapping[str, Any]) -> None:
        """`answer` is the object as the server returned it."""
        version = _version(answer["metadata"].get("resourceVersion"))
        self._writes.setdefault(key, []).append(_Write(informer, object_key(answer), version))

    def check_seen(self, key: str) -> None:
        """Raises TryAfter while there is a write that the informers don't show."""
        if unseen := [write for write in self._writes.get(key, ()) if not write.is_seen()]:
            self._writes[key] = unseen
            raise TryAfter(_SOON)
        self.forget(key)

    def forget(self, key: str) -> None:
        self._writes.pop(key, None)


def _version(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 0
