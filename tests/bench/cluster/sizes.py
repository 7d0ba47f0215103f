"""How much of everything a run does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Operations of one scenario in one round: of one worker alone, and of all that work at once."""

    rounds: int
    alone: int
    at_once: int


FULL = Sizes(rounds=5, alone=300, at_once=640)
QUICK = Sizes(rounds=1, alone=150, at_once=320)
PROOF = Sizes(rounds=1, alone=2, at_once=16)
"""Enough to see that everything runs; its figures mean nothing."""
