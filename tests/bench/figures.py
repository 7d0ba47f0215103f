"""What a figure is: a number for each side, over all rounds, their ratio, and what we aim at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True, slots=True)
class Spread:
    """The median over all rounds, and the extremes."""

    median: float
    lowest: float
    highest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Range(Spread):
    """What is known from elsewhere: shown whole, because no round of ours stands behind its middle."""

    @classmethod
    def between(cls, lowest: float, highest: float) -> Range:
        return cls((lowest + highest) / 2, lowest, highest)


@dataclass(frozen=True, slots=True)
class Aim:
    """Where the median ought to be. `of` names the side it is about; without one it is about the ratio."""

    at_most: float | None = None
    at_least: float | None = None
    of: str | None = None

    def is_met_by(self, value: float) -> bool:
        return (self.at_most is None or value <= self.at_most) and (self.at_least is None or value >= self.at_least)


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    unit: str
    sides: dict[str, Spread]
    ratio: Spread | None = None
    aim: Aim | None = None

    @property
    def met(self) -> bool | None:
        """None when nothing is aimed at."""
        if self.aim is None:
            return None
        aimed_at = self.ratio if self.aim.of is None else self.sides[self.aim.of]
        return aimed_at is not None and self.aim.is_met_by(aimed_at.median)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The two sides of a ratio, by name: `over` divided by `under`."""

    over: str
    under: str


@dataclass(slots=True)
class Table:
    """The figures of one scenario; all its ratios compare the same two sides."""

    title: str
    sides: tuple[str, ...]
    comparison: Comparison | None = None
    figures: list[Figure] = field(default_factory=list)

    def add(
        self,
        name: str,
        unit: str,
        rounds: Mapping[str, Sequence[float]],
        *,
        aim: Aim | None = None,
        compared: bool = True,
    ) -> None:
        """One figure, from each side's value in every round. The ratio is taken within a round, then over rounds."""
        ratio = None
        if self.comparison is not None and compared:
            over, under = rounds.get(self.comparison.over, ()), rounds.get(self.comparison.under, ())
            pairs = [(above, below) for above, below in zip(over, under, strict=True) if below]
            ratio = Spread.of([above / below for above, below in pairs]) if pairs else None
        sides = {side: Spread.of(values) for side, values in rounds.items() if values}
        self.figures.append(Figure(name, unit, sides, ratio, aim))
