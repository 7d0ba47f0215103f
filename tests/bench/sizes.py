"""How much of everything a run does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """`one_at_a_time` and `at_once` are operations of one side in one round, the latter with `concurrency` workers."""

    rounds: int
    one_at_a_time: int
    at_once: int
    objects: int = 10_000
    lists: int = 4
    watchers: int = 1_000
    events: int = 20
    concurrency: int = 64
    warm_up: int = 64


FULL = Sizes(rounds=7, one_at_a_time=600, at_once=4_480, lists=3)
QUICK = Sizes(rounds=2, one_at_a_time=150, at_once=960, lists=2, events=5)
PROOF = Sizes(
    rounds=1, one_at_a_time=8, at_once=16, objects=20, lists=1, watchers=4, events=1, concurrency=8, warm_up=8
)
"""Enough to see that everything runs; its figures mean nothing."""
