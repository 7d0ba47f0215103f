"""What a kubelet says of a pod: events, and the lines of a container's log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .behaviour import Kind

NORMAL: Final = "Normal"
WARNING: Final = "Warning"


@dataclass(frozen=True, slots=True)
class Saying:
    """An event about the pod or, with a `field_path`, one of its containers."""

    type: str
    reason: str
    message: str
    field_path: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log of one run of a container; `ends` is that it is the last."""

    container: str
    container_id: str
    moment: float
    text: str
    ends: bool = False


class Sayings:
    """What one step has to say, in order."""

    def __init__(self, pod: Mapping[str, Any], moment: float) -> None:
        self._pod = pod
        self._moment = moment
        self.sayings: list[Saying] = []
        self.lines: list[Line] = []

    def normal(
        self, reason: str, message: str, kind: Kind | None = None, container: Mapping[str, Any] | None = None
    ) -> None:
        self.record(Saying(NORMAL, reason, message, _path(kind, container)))

    def warn(
        self, reason: str, message: str, kind: Kind | None = None, container: Mapping[str, Any] | None = None
    ) -> None:
        self.record(Saying(WARNING, reason, message, _path(kind, container)))

    def record(self, saying: Saying) -> None:
        self.sayings.append(saying)

    def line(self, status: Mapping[str, Any], text: str, *, ends: bool = False, is_output: bool = False) -> None:
        """Output is the command's own; everything else is marked as the simulation's."""
        shown = text if is_output else f"[simulated] {text}"
        self.lines.append(Line(status["name"], status.get("containerID", ""), self._moment, shown, ends))


def _path(kind: Kind | None, container: Mapping[str, Any] | None) -> str:
    if kind is None or container is None:
        return ""
    return f"spec.{kind.field}{{{container['name']}}}"
