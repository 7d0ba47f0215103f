"""How much of everything a run does."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Sizes:
    """Operations of one scenario in one round: `gets` and `writes` count one worker alone, several at once do
    `at_once` times as many. `watchers` has the audiences, each with the number of objects it sees created."""

    rounds: int
    starts: int
    gets: int
    lists: int
    short_lists: int
    writes: int
    watchers: tuple[tuple[int, int], ...]
    idle: timedelta
    at_once: int = 3
    objects: int = 10_000
    few_objects: int = 1_000
    page: int = 500


FULL = Sizes(
    rounds=3,
    starts=5,
    gets=1_500,
    lists=16,
    short_lists=60,
    writes=600,
    watchers=((100, 300), (1_000, 60)),
    idle=timedelta(seconds=10),
)
QUICK = Sizes(
    rounds=1,
    starts=2,
    gets=1_000,
    lists=8,
    short_lists=30,
    writes=300,
    watchers=((100, 150), (1_000, 30)),
    idle=timedelta(seconds=3),
)
PROOF = Sizes(
    rounds=1,
    starts=1,
    gets=16,
    lists=4,
    short_lists=4,
    writes=32,
    watchers=((3, 5), (5, 4)),
    idle=timedelta(seconds=0.1),
    objects=40,
    few_objects=10,
    page=10,
)
"""Enough to see that everything runs; its figures mean nothing."""
