"""The node as a pod finds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .admission import PodRejection
from .requirements import Need, Troubles
from .resize import Room


@dataclass(slots=True)
class NodeView:
    """`address` gives a new pod IP of each family. `images` are those that were pulled before, and `files` those that
    commands have left on the node; both grow. `found` gives what the pod refers to, and
    `rejection` is why the node does not take the pod."""

    name: str
    host_ips: tuple[str, ...]
    address: Callable[[], tuple[str, ...]]
    images: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    troubles: Troubles = field(default_factory=Troubles)
    room: Room | None = None
    found: Callable[[Need], Mapping[str, Any] | None] = lambda _: None
    rejection: Callable[[], PodRejection | None] = lambda: None
