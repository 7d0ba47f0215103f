"""How etcd is, and how patient we are with it: the words that `supervisor` and its callers share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from .faults import EtcdFault
from .parent_death import ParentDeath

# Given the client socket: True when etcd answers as it should. Unavailable and OSError mean "not yet", and EtcdFailed
# that this etcd must not be used: it is ended and, after a while, started again.
Probe: TypeAlias = Callable[[Path], Awaitable[bool]]


class State(StrEnum):
    STARTING = "starting"
    READY = "ready"
    DOWN = "down"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class EtcdHealth:
    """How etcd is and since when. `fault` says why it is down; `restarts` counts how often it came back."""

    state: State
    since: datetime
    fault: EtcdFault | None = None
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class EtcdOptions:
    """How etcd is run and how patient we are with it."""

    quota_backend_bytes: int | None = None
    snapshot_count: int = 5000
    parent_death: ParentDeath | None = None
    start_within: timedelta = timedelta(seconds=30)
    stop_within: timedelta = timedelta(seconds=5)
    first_delay: timedelta = timedelta(milliseconds=100)
    longest_delay: timedelta = timedelta(seconds=5)
    settled_after: timedelta = timedelta(seconds=10)
