"""An audit backend that keeps what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Kept:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def record(self, event: Mapping[str, Any]) -> None:
        self.events.append(dict(event))

    @property
    def stages(self) -> list[str]:
        return [event["stage"] for event in self.events]
