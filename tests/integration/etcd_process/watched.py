"""A supervisor under observation."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localplane.apiserver.storage.etcd.program.health import EtcdHealth, State
    from localplane.apiserver.storage.etcd.program.supervisor import EtcdSupervisor


@dataclass
class Watched:
    """A supervisor and everything that it said about etcd."""

    etcd: EtcdSupervisor
    said: asyncio.Queue[EtcdHealth]
    heard: list[EtcdHealth] = field(default_factory=list)

    async def until(self, state: State) -> EtcdHealth:
        """The next time that etcd is in this state."""
        async with asyncio.timeout(120):
            while True:
                health = await self.said.get()
                self.heard.append(health)
                if health.state is state:
                    return health
