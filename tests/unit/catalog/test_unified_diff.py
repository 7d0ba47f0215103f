"""What differs between two texts is shown as difflib shows it, and in time that grows with their length."""

from __future__ import annotations

import difflib
import random
import re

import pytest

from localplane.catalog.unified_diff import unified_diff


def _lines(count: int) -> list[str]:
    return [f"line {number}\n" for number in range(count)]


def _changed(lines: list[str], random_source: random.Random) -> list[str]:
    changed: list[str] = []
    for line in lines:
        match random_source.randrange(12):
            case 0:
                continue
            case 1:
                changed.append(f"another {line}")
            case 2:
                changed += [line, "new\n"]
            case _:
                changed.append(line)
    return changed


@pytest.mark.parametrize("seed", range(40))
def test_a_text_of_ordinary_length_is_shown_as_difflib_shows_it(seed: int) -> None:
    source = random.Random(seed)
    before = _lines(source.choice([0, 1, 2, 7, 30, 300]))
    after = _changed(before, source)
    assert unified_diff(before, after) == "".join([*difflib.unified_diff(before, after)][2:])


@pytest.mark.parametrize("seed", range(5))
def test_a_long_text_becomes_the_other_by_what_is_shown(seed: int) -> None:
    before = _lines(5_000)
    after = _changed(before, random.Random(seed))
    assert _patched(before, unified_diff(before, after)) == after


def test_a_line_that_differs_is_shown_alone_in_a_long_text_too() -> None:
    before = _lines(5_000)
    after = [*before[:2_100], "changed\n", *before[2_101:]]
    assert unified_diff(before, after) == "".join([*difflib.unified_diff(before, after)][2:])


def test_one_that_ends_long_before_the_other_is_shown_whole() -> None:
    before, after = _lines(10), _lines(5_000)
    assert _patched(before, unified_diff(before, after)) == after
    assert _patched(after, unified_diff(after, before)) == before


def _patched(lines: list[str], diff: str) -> list[str]:
    """As `patch` does it: every line that is said to be there must be."""
    result: list[str] = []
    position = 0
    for line in diff.splitlines(keepends=True):
        if header := re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+\S+ @@\n", line):
            start = int(header[1]) - (header[2] != "0")
            result += lines[position:start]
            position = start
        elif line[0] == "+":
            result.append(line[1:])
        else:
            assert lines[position] == line[1:]
            position += 1
            if line[0] == " ":
                result.append(line[1:])
    return result + lines[position:]
