"""Kills at random moments, and puts back what must be put back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from tests.faults.hosts import HostProcess, etcd_pid, kill_process
from tests.faults.recorder import Recorder

_BACK_WITHIN = 30.0
_SHORTEST_LOAD, _LONGEST_LOAD = 0.05, 0.8


class DidNotComeBack(Exception):
    """No write succeeded for a long time after a kill."""


class Target(StrEnum):
    """STORE is restarted by its supervisor, inside the host; HOST takes its etcd with it; BOTH die at one moment."""

    STORE = "store"
    HOST = "host"
    BOTH = "both"
    MEMBER = "member"
    LEADER = "stopped leader"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Struck:
    """What was struck, and a moment since which it surely was.

    `over_at` is when a fault ended that lasts; then the way back begins there, and not with the strike.
    """

    target: str
    dead_at: float
    over_at: float | None = None


Strike = Callable[[Random], Awaitable[Struck]]
"""Kills something, and returns when everything is under way that brings it back."""


@dataclass(frozen=True, slots=True)
class Kill:
    target: str
    back_after: float
    began: float = 0.0


async def kill_repeatedly(
    kills: int,
    strike: Strike,
    recorder: Recorder,
    random: Random,
    *,
    back_within: float = _BACK_WITHIN,
    longest_load: float = _LONGEST_LOAD,
) -> list[Kill]:
    """Between two kills a write that was called after the first has to succeed, and then some load to run."""
    done = []
    for _ in range(kills):
        await asyncio.sleep(random.uniform(_SHORTEST_LOAD, longest_load))
        began = recorder.now()
        struck = await strike(random)
        try:
            async with asyncio.timeout(back_within):
                back = await recorder.acknowledged_write(called_after=struck.over_at or struck.dead_at)
        except TimeoutError:
            detail = f"no write succeeded within {back_within} s after a strike: {struck.target}"
            raise DidNotComeBack(detail) from None
        done.append(Kill(struck.target, back - (struck.over_at or began), began))
    return done


class HostNemesis:
    """Strikes one host and the etcd that it supervises, if there is one."""

    def __init__(self, host: HostProcess, targets: Sequence[Target]) -> None:
        self._host = host
        self._targets = targets

    async def strike(self, random: Random) -> Struck:
        target = random.choice(self._targets)
        store = None if target is Target.HOST else await etcd_pid(self._host)
        if target is not Target.HOST and store is None:
            target = Target.HOST
        deaths = [kill_process(store)] if store is not None else []
        if target is not Target.STORE:
            deaths.append(self._host.kill())
        random.shuffle(deaths)
        await asyncio.gather(*deaths)
        dead_at = Recorder.now()
        if target is not Target.STORE:
            await self._host.start()
        return Struck(target, dead_at)
