"""The figures as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from tests.bench.figures import Aim, Figure, Range, Spread, Table

_NAME, _UNIT, _SIDE, _RATIO = 27, 12, 16, 25

STORAGE = (
    "Storage: one run on one machine. Medians over the rounds; ratios are taken within a round, and shown as\n"
    "median (lowest … highest)."
)


def as_text(facts: Mapping[str, str], tables: list[Table], command: str, *, heading: str = STORAGE) -> str:
    return "\n".join(_lines(facts, tables, command, heading))


def _lines(facts: Mapping[str, str], tables: list[Table], command: str, heading: str) -> Iterator[str]:
    yield heading
    yield ""
    yield from (f"  {name:<12} {value}" for name, value in facts.items())
    yield f"  {'again':<12} {command}"
    for table in tables:
        yield ""
        yield from _table(table)
    yield ""
    aimed = [figure for table in tables for figure in table.figures if figure.aim is not None]
    yield f"{sum(figure.met is True for figure in aimed)} of {len(aimed)} aims met"


def _table(table: Table) -> Iterator[str]:
    ratio = f"{table.comparison.over} / {table.comparison.under}" if table.comparison else ""
    yield table.title
    yield (
        " " * (_NAME + _UNIT + 2) + "".join(f"{side:>{_SIDE}}" for side in table.sides) + f"  {ratio:<{_RATIO}}"
    ).rstrip()
    for figure in table.figures:
        sides = "".join(f"{_number(figure.sides.get(side)):>{_SIDE}}" for side in table.sides)
        yield (
            f"  {figure.name:<{_NAME}}{figure.unit:<{_UNIT}}{sides}  {_ratio(figure.ratio):<{_RATIO}}{_aim(figure)}"
        ).rstrip()


def _number(spread: Spread | None) -> str:
    if spread is None:
        return "-"
    if isinstance(spread, Range) and spread.lowest != spread.highest:
        return f"{_figures(spread.lowest)} … {_figures(spread.highest)}"
    return _figures(spread.median)


def _figures(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def _ratio(spread: Spread | None) -> str:
    return "" if spread is None else f"{spread.median:.3g} ({spread.lowest:.3g} … {spread.highest:.3g})"


def _aim(figure: Figure) -> str:
    if figure.aim is None:
        return ""
    return f"aim: {_bound(figure.aim)}: {'met' if figure.met else 'MISSED'}"


def _bound(aim: Aim) -> str:
    about = f"{aim.of} " if aim.of else ""
    bounds = f"at most {aim.at_most:g}" if aim.at_most is not None else f"at least {aim.at_least:g}"
    return about + bounds


def as_json(facts: Mapping[str, str], tables: list[Table], command: str) -> str:
    return json.dumps(
        {"command": command, "machine": dict(facts), "scenarios": [_scenario(table) for table in tables]}, indent=2
    )


def _scenario(table: Table) -> dict[str, Any]:
    scenario = asdict(table)
    for told, figure in zip(scenario["figures"], table.figures, strict=True):
        told["met"] = figure.met
    return scenario
