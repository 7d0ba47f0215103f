"""How much of everything a run does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Sizes:
    """Operations of one scenario in one round: of one worker alone, and of all that work at once. After a start there
    is time to have `settled`, before memory is looked at."""

    rounds: int
    starts: int
    alone: int
    at_once: int
    settled: timedelta = timedelta(seconds=0.5)
    idle: timedelta = timedelta(seconds=5)


FULL = Sizes(rounds=5, starts=5, alone=300, at_once=640)
QUICK = Sizes(rounds=1, starts=3, alone=150, at_once=320, idle=timedelta(seconds=2))
PROOF = Sizes(rounds=1, starts=1, alone=2, at_once=16, settled=timedelta(0), idle=timedelta(seconds=0.1))
"""Enough to see that everything runs; its figures mean nothing."""
