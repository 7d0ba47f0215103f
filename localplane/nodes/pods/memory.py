"""What a kubelet knows of a pod beside what the API says: times finer than a second, and plans that nobody is told.

All of it can be lost: what the API says is enough to go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .behaviour import ContainerKind, Course


@dataclass(slots=True)
class Run:
    """One run of a container: `since` is when it began, in seconds since the epoch."""

    container_id: str
    since: float
    course: Course
    wished: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Stop:
    at: float
    exit_code: int


@dataclass(slots=True)
class PodMemory:
    runs: dict[str, Run] = field(default_factory=dict)
    may_start: dict[str, float] = field(default_factory=dict)
    """Since when a container could have started."""
    ended: dict[str, float] = field(default_factory=dict)
    pulls: dict[str, int] = field(default_factory=dict)
    """How often pulling a container's image has failed."""
    next_pull: dict[str, float] = field(default_factory=dict)
    calm: dict[str, int] = field(default_factory=dict)
    """The restarts that no longer count, since the container has run well for long."""
    may_begin: float = 0.0
    """When the pod's sandbox may be made."""
    stops: dict[str, Stop] | None = None
    """How containers that were told to stop will end; None as long as nobody has told them."""
    files: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    """Troubles that an event has told, so that each is told once."""

    def is_news(self, trouble: str) -> bool:
        """Whether nobody was told of it yet; it is told now."""
        if trouble in self.said:
            return False
        self.said.add(trouble)
        return True

    def forget_the_wait(self, container: str) -> None:
        """The container runs."""
        for waits in (self.may_start, self.ended, self.pulls, self.next_pull):
            waits.pop(container, None)


# What a kubelet says of a pod: events, and the lines of a container's log.

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
        self, reason: str, message: str, kind: ContainerKind | None = None, container: Mapping[str, Any] | None = None
    ) -> None:
        self.record(Saying(NORMAL, reason, message, _path(kind, container)))

    def warn(
        self, reason: str, message: str, kind: ContainerKind | None = None, container: Mapping[str, Any] | None = None
    ) -> None:
        self.record(Saying(WARNING, reason, message, _path(kind, container)))

    def record(self, saying: Saying) -> None:
        self.sayings.append(saying)

    def line(self, status: Mapping[str, Any], text: str, *, ends: bool = False, is_output: bool = False) -> None:
        """Output is the command's own; everything else is marked as the simulation's."""
        shown = text if is_output else f"[simulated] {text}"
        self.lines.append(Line(status["name"], status.get("containerID", ""), self._moment, shown, ends))


def _path(kind: ContainerKind | None, container: Mapping[str, Any] | None) -> str:
    if kind is None or container is None:
        return ""
    return f"spec.{kind.field}{{{container['name']}}}"
