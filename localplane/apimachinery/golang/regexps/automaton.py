"""An engine of our own: all ways through the expression at once, character by character, the preferred ones first.

It is what runs where RE2 is not installed, and for what is too large for RE2, which works on bytes: a thousand letters
of any language are a thousand instructions here and a million there. Thompson's construction, run as Pike runs it, with
the steps remembered that were taken before. A text of n characters takes at most n steps per instruction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from .classes import Characters
from .syntax import Assertion, Choice, Leaf, Position, RegexpGroup, RegexpNode, Repeat, Row

_MOST_STEPS: Final = 1_000_000
"""That were not taken before, for one text: they take half a second."""
_MOST_PASSED: Final = 1 << 23
"""Characters, for one text: finding all matches may pass the same ones many times."""
_MOST_REMEMBERED: Final = 200_000
_NEWLINE: Final = "\n"


class TooCostly(ValueError):
    """The text is too long for an expression of this size."""


class _Read(NamedTuple):
    """One character of these."""

    characters: Characters


class _Ask(NamedTuple):
    position: Position


class _Split(NamedTuple):
    """There are two ways from here, by label: the first is preferred."""

    first: int
    second: int


class _Go(NamedTuple):
    label: int


class _Label(NamedTuple):
    label: int


_Instruction = _Read | _Ask | _Split | _Go


@dataclass(slots=True)
class _Work:
    """What one text has cost so far."""

    steps: int = 0
    passed: int = 0

    def add(self, *, steps: int = 0, passed: int = 0) -> None:
        self.steps += steps
        self.passed += passed
        if self.steps > _MOST_STEPS or self.passed > _MOST_PASSED:
            raise TooCostly("the text is too long for a pattern of this size")


class _Step(NamedTuple):
    """What a character makes of the ways that were open: where they go on, which of them each one was, and which of
    them had come to the end before the character."""

    ways: tuple[int, ...]
    origins: tuple[int, ...]
    finished: int | None


class Automaton:
    def __init__(self, tree: RegexpNode) -> None:
        self._program = _assembled(tree)
        self._end = len(self._program)
        self._steps: dict[tuple[tuple[int, ...], str, str, bool], _Step] = {}
        self._reaches: dict[tuple[int, str, str], tuple[int, ...]] = {}
        self._remembered = 0

    def is_in(self, text: str) -> bool:
        """Raises TooCostly."""
        return self._span(text, 0, _Work(), any_end=True) is not None

    def all_in(self, text: str) -> Iterator[str]:
        """One behind the other. As Go's FindAll: an empty one right behind another does not count. Raises TooCostly."""
        at, end_before, work = 0, -1, _Work()
        while at <= len(text):
            span = self._span(text, at, work, any_end=False)
            if span is None:
                return
            start, end = span
            if start < end or start != end_before:
                yield text[start:end]
            at = end if end != at else at + 1
            end_before = end

    def _span(self, text: str, at: int, work: _Work, *, any_end: bool) -> tuple[int, int] | None:
        """The first and preferred match from there on. With `any_end` the first end that is seen will do."""
        ways: tuple[int, ...] = ()
        starts: list[int] = []
        match: tuple[int, int] | None = None
        begin, before = at, text[at - 1 : at] if at else ""
        while True:
            character = text[at : at + 1]
            seeded = match is None
            key = (ways, _kind(before), character, seeded)
            step = self._steps.get(key)
            if step is None:
                work.add(steps=len(ways) + 1)
                step = self._steps[key] = self._step(*key)
                self._remember(len(step.ways))
            if seeded:
                starts.append(at)
            if step.finished is not None:
                match = (starts[step.finished], at)
                if any_end:
                    return match
            ways = step.ways
            starts = [starts[origin] for origin in step.origins]
            if not character or (not ways and match is not None):
                work.add(passed=at - begin)
                return match
            before = character
            at += 1

    def _remember(self, size: int) -> None:
        self._remembered += size + 1
        if self._remembered > _MOST_REMEMBERED:
            self._steps.clear()
            self._reaches.clear()
            self._remembered = 0

    def _step(self, ways: tuple[int, ...], before: str, character: str, seeded: bool) -> _Step:  # noqa: FBT001 - a key
        following: list[int] = []
        origins: list[int] = []
        seen: set[int] = set()
        fits: dict[int, bool] = {}
        behind = _kind(character)
        for origin, way in enumerate((*ways, 0) if seeded else ways):
            for place in self._reached(way, before, behind):
                if place in seen:
                    continue
                seen.add(place)
                if place == self._end:
                    return _Step(tuple(following), tuple(origins), origin)
                characters = self._program[place][0]
                fit = fits.get(id(characters))
                if fit is None:
                    assert isinstance(characters, Characters)
                    fit = fits[id(characters)] = bool(character) and characters.has(character)
                if fit:
                    following.append(place + 1)
                    origins.append(origin)
        return _Step(tuple(following), tuple(origins), None)

    def _reached(self, way: int, before: str, behind: str) -> tuple[int, ...]:
        """Where characters are read, or the end, that can be reached from there without one; the preferred first."""
        reached = self._reaches.get((way, before, behind))
        if reached is None:
            reached = self._reaches[way, before, behind] = tuple(self._closure(way, before, behind))
            self._remember(len(reached))
        return reached

    def _closure(self, place: int, before: str, behind: str) -> Iterator[int]:
        seen: set[int] = set()
        waiting = [place]
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            if place == self._end:
                yield place
                continue
            match self._program[place]:
                case _Read():
                    yield place
                case _Split(first, second):
                    waiting += (second, first)
                case _Go(label):
                    waiting.append(label)
                case _Ask(position):
                    if _holds(position, before, behind):
                        waiting.append(place + 1)


def _kind(character: str) -> str:
    """What positions can ask about a character: nothing there, a new line, part of a word, something else."""
    if not character or character == _NEWLINE:
        return character
    return "w" if character.isascii() and (character.isalnum() or character == "_") else "-"


def _holds(position: Position, before: str, behind: str) -> bool:
    match position:
        case Position.TEXT_BEGINS:
            return not before
        case Position.TEXT_ENDS:
            return not behind
        case Position.LINE_BEGINS:
            return before in ("", _NEWLINE)
        case Position.LINE_ENDS:
            return behind in ("", _NEWLINE)
        case Position.AT_WORD:
            return (before == "w") != (behind == "w")
        case Position.NOT_AT_WORD:
            return (before == "w") == (behind == "w")


def _assembled(tree: RegexpNode) -> list[_Instruction]:
    """The end is behind the last instruction."""
    program: list[_Instruction] = []
    known: dict[Characters, Characters] = {}
    places: list[int] = []
    waiting: list[RegexpNode | _Instruction | _Label] = [tree]
    while waiting:
        item = waiting.pop()
        match item:
            case _Label(label):
                places[label] = len(program)
            case Leaf():
                program.append(_Read(known.setdefault(item.characters, item.characters)))
            case Assertion():
                program.append(_Ask(item.position))
            case RegexpNode():
                waiting += reversed(_expanded(item, places))
            case _:
                program.append(item)
    return [_resolved(instruction, places) for instruction in program]


def _resolved(instruction: _Instruction, places: list[int]) -> _Instruction:
    match instruction:
        case _Split(first, second):
            return _Split(places[first], places[second])
        case _Go(label):
            return _Go(places[label])
    return instruction


def _expanded(node: RegexpNode, places: list[int]) -> list[RegexpNode | _Instruction | _Label]:
    match node:
        case RegexpGroup():
            return [node.part]
        case Row():
            return list(node.parts)
        case Choice():
            return _choice(node, places)
        case Repeat():
            return _repetition(node, places)
    raise AssertionError(node)


def _new(places: list[int]) -> int:
    places.append(-1)
    return len(places) - 1


def _choice(node: Choice, places: list[int]) -> list[RegexpNode | _Instruction | _Label]:
    items: list[RegexpNode | _Instruction | _Label] = []
    end = _new(places)
    for part in node.parts[:-1]:
        this, next_one = _new(places), _new(places)
        items += (_Split(this, next_one), _Label(this), part, _Go(end), _Label(next_one))
    return [*items, node.parts[-1], _Label(end)]


def _repetition(node: Repeat, places: list[int]) -> list[RegexpNode | _Instruction | _Label]:
    """x{2,4} is xx(x(x)?)?, x{2,} is xx+, and x* is (x+)?, which makes a difference where x may be empty."""

    def split(go_on: int) -> _Split:
        return _Split(end, go_on) if node.lazy else _Split(go_on, end)

    end = _new(places)
    items: list[RegexpNode | _Instruction | _Label] = [node.part] * (
        node.least if node.most is not None else node.least - 1
    )
    if node.most is not None:
        for _ in range(node.most - node.least):
            inside = _new(places)
            items += (split(inside), _Label(inside), node.part)
        return [*items, _Label(end)]
    again = _new(places)
    if node.least == 0:
        items.append(split(again))
    return [*items, _Label(again), node.part, split(again), _Label(end)]
