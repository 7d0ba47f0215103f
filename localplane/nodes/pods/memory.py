"""What a kubelet knows of a pod beside what the API says: times finer than a second, and plans that nobody is told.

All of it can be lost: what the API says is enough to go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .behaviour import Course


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
