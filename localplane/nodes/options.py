"""What may be chosen about simulated nodes, and the names that the simulation goes by."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from localplane.catalog.kubelets import KubeletConnections

PREFIX: Final = "simulation.localplane/"
NODE_LABEL: Final = f"{PREFIX}node"
STOPPED: Final = f"{PREFIX}stopped"
"""On a Node, `"true"`: its kubelet is silent. Its lease and status get old, and its pods no longer move."""

KWOK_NODE: Final = "kwok.x-k8s.io/node"
FAKE: Final = "fake"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long things take. Kubernetes waits 10 seconds before a container that crashed is started a second time, and 5
    minutes at most; these are the figures of its feature ReduceDefaultCrashLoopBackOffDecay."""

    start: timedelta = timedelta(milliseconds=30)
    """Between the moment that a container may start and the moment it runs."""
    completion: timedelta = timedelta(seconds=1)
    """How long a container runs that has something to finish."""
    initialization: timedelta = timedelta(milliseconds=100)
    """The same for an init container."""
    stop: timedelta = timedelta(seconds=1)
    """How long containers take to stop when they are told to, if their grace period is no shorter."""
    look: timedelta = timedelta(milliseconds=100)
    """How long a state is to be seen at least before the next one follows at once, such as the end of a container that
    is restarted."""
    back_off: timedelta = timedelta(seconds=1)
    longest_back_off: timedelta = timedelta(seconds=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOptions:
    """`count` nodes are made if they are absent: node-0, node-1 and so on. The same `seed` makes the same choices.
    `speed` divides all durations that belong to the simulation, those of annotations and commands included; what the
    API asks for, such as deadlines and grace periods, stays as it is.

    A lease is renewed four times while it lasts. `connections` are told who answers for simulated nodes."""

    count: int = 1
    seed: int = 0
    speed: float = 1.0
    cpu: str = "32"
    memory: str = "256Gi"
    ephemeral_storage: str = "1Ti"
    pods: str = "110"
    pace: Pace = field(default_factory=Pace)
    lease_duration: timedelta = timedelta(seconds=80)
    status_report: timedelta = timedelta(minutes=5)
    """How often a node's status is written though nothing has changed."""
    connections: KubeletConnections | None = None
