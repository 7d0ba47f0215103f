"""How much of a collection agreed, by area."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Score:
    """Of one area: steps are single requests or commands, cases are stories made of them. Of the steps that differ,
    `excused` may."""

    steps: int = 0
    steps_passed: int = 0
    cases: int = 0
    cases_passed: int = 0
    excused: int = 0

    def count(self, steps: Iterable[bool], *, excused: bool = False) -> None:
        results = list(steps)
        self.cases += 1
        self.cases_passed += all(results)
        self.steps += len(results)
        self.steps_passed += sum(results)
        self.excused += results.count(False) if excused else 0

    @property
    def is_whole(self) -> bool:
        return 0 < self.steps == self.steps_passed + self.excused


@dataclass(slots=True)
class Scores:
    """`whole` are the areas in which every step has to pass that is not excused; `notes` are printed below them."""

    title: str
    whole: frozenset[str] = frozenset()
    areas: dict[str, Score] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def area(self, name: str) -> Score:
        return self.areas.setdefault(name, Score())

    @property
    def broken(self) -> list[str]:
        """Areas that have to be whole and are not; one that was not replayed at all is not."""
        return [name for name in sorted(self.whole) if not self._is_whole(name)]

    def _is_whole(self, name: str) -> bool:
        score = self.areas.get(name)
        return score is not None and score.is_whole

    def lines(self) -> Iterator[str]:
        yield self.title
        for name, score in [*sorted(self.areas.items()), ("all", self._all())]:
            mark = "" if name not in self.whole else "  whole" if self._is_whole(name) else "  BROKEN"
            yield (
                f"  {name:<18}{score.steps_passed:>5} of {score.steps:<5} steps"
                f"{score.cases_passed:>5} of {score.cases:<4} cases{mark}"
            )
        yield from (f"  {note}" for note in self.notes)

    def _all(self) -> Score:
        areas = self.areas.values()
        return Score(
            sum(area.steps for area in areas),
            sum(area.steps_passed for area in areas),
            sum(area.cases for area in areas),
            sum(area.cases_passed for area in areas),
        )


def of_stories(
    title: str, stories: Iterable[Mapping[str, Any]], *, whole: Iterable[str], excuses: Mapping[str, str] | None = None
) -> Scores:
    """From what both replay programs write: stories with an area, and steps that are ok or not. `excuses` has a reason
    for each story, `area/name`, that is known to differ."""
    scores = Scores(title, frozenset(whole))
    for story in stories:
        name = f"{story['area']}/{story['name']}"
        steps = [bool(step["ok"]) for step in story["steps"]]
        excuse = (excuses or {}).get(name)
        scores.area(story["area"]).count(steps, excused=excuse is not None)
        if excuse is not None and not all(steps):
            scores.notes.append(f"excused: {name}: {excuse}")
    return scores


def of_objects(title: str, results: Mapping[str, Any], *, notes: Iterable[str]) -> Scores:
    """From what the corpus writes: one line for each object. None may differ; what weighs less is in the notes."""
    scores = Scores(title, frozenset({"objects"}), notes=list(notes))
    for test in results["tests"]:
        if test["status"] != "skip":
            scores.area("objects").count([test["status"] == "pass"])
    return scores
