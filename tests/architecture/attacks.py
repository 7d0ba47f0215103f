"""Texts that make an expression go back as often as it can, made of the expression itself.

What takes an expression more than linear time is a text that repeats what one of its loops reads, and then does not go
on as it should. So for each loop: the shortest text that leads there, as many repeats as we like of what the loop
takes, and an end that fits nothing.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from itertools import islice, product
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)
_MANY = 50
"""A bound of repetition from which on it is a loop to us."""
_ENDS = ("", "\0", "\n", "\u20ac")
_SMALL: tuple[int, ...] = (*range(10, 70, 6), 80, 100, 130, 170, 250)
"""So near to one another that what is exponential is noticed before it takes for ever."""
_LARGE = (1000, 4000)
_NOTHING, _PAUSE = 0.0003, 0.004
"""Seconds of the processor: what a linear expression may take for the shorter text, and does not for the longer."""


class Attack(NamedTuple):
    prefix: str
    pump: str
    end: str

    def text(self, count: int) -> str:
        return self.prefix + self.pump * count + self.end


def worst(pattern: re.Pattern[Any], method: str) -> tuple[Attack, str] | None:
    """An attack that works, and how it grows."""
    for attack in attacks(pattern):
        count = _broken_at(pattern, method, attack)
        if count and _broken_at(pattern, method, attack, trials=5):  # and not because the machine was busy
            before = count // 2
            times = [_seconds(pattern, method, attack.text(each)) * 1000 for each in (before, count)]
            return attack, f"{before}: {times[0]:.1f} ms, {count}: {times[1]:.1f} ms"
    return None


def attacks(pattern: re.Pattern[Any]) -> Iterator[Attack]:
    tree = parser.parse(
        pattern.pattern, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    )
    letters = sorted(set(_letters(tree)) | {" "})[:40]
    words = [*letters, *_words(tree), *(map("".join, product(letters, repeat=2)) if len(letters) <= 10 else ())]
    seen: set[Attack] = set()
    for prefix, body in _loops(tree, ""):
        samples = list(islice(_samples(body), 12))
        pumps = dict.fromkeys([*samples, *words, prefix, *(prefix + sample for sample in samples)])
        for pump, end in product(filter(None, pumps), _ENDS):
            seen |= {Attack(prefix, pump, end), Attack("", pump, end)}
    yield from sorted(seen)


def _words(tree: Any) -> Iterator[str]:
    """What has to stand there as it is written."""
    word = ""
    for operator, argument in tree:
        if operator is ops.LITERAL:
            word += chr(argument)
            continue
        if len(word) > 1:
            yield word
        word = ""
        inner = [argument[2]] if operator in _REPEATS else _parts(operator, argument)
        for part in inner:
            yield from _words(part)
    if len(word) > 1:
        yield word


def _broken_at(pattern: re.Pattern[Any], method: str, attack: Attack, *, trials: int = 1) -> int:
    """How many repeats take too long; zero if none do. The least of all trials counts."""

    def seconds_for(count: int) -> float:
        return min(_seconds(pattern, method, attack.text(count)) for _ in range(trials))

    for count in _SMALL:
        if seconds_for(count) > _PAUSE:
            return count
    shorter, longer = _LARGE
    seconds = seconds_for(shorter)
    if seconds < _NOTHING:
        return 0
    again = seconds_for(longer)
    return longer if again > _PAUSE and again > 2 * longer / shorter * seconds else 0


def _seconds(pattern: re.Pattern[Any], method: str, text: str) -> float:
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
    empty = "" if isinstance(pattern.pattern, str) else b""
    start = time.process_time()
    match method:
        case "sub" | "subn":
            pattern.sub(empty, subject)
        case "finditer":
            for _ in pattern.finditer(subject):
                pass
        case _:
            getattr(pattern, method)(subject)
    return time.process_time() - start


# The tree


def _loops(tree: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Each loop, with a text that leads to it."""
    for operator, argument in tree:
        if operator in _REPEATS:
            least, most, body = argument
            if most >= _MANY:
                yield prefix, body
            yield from _loops(body, prefix)
            prefix += _shortest(body) * least
            continue
        for part in _parts(operator, argument):
            yield from _loops(part, prefix)
        prefix += _shortest([(operator, argument)])


def _parts(operator: Any, argument: Any) -> list[Any]:
    if operator is ops.SUBPATTERN:
        return [argument[-1]]
    if operator is ops.ATOMIC_GROUP:
        return [argument]
    if operator is ops.BRANCH:
        return list(argument[1])
    if operator in (ops.ASSERT, ops.ASSERT_NOT):
        return [argument[1]]
    return []


def _samples(tree: Any) -> Iterator[str]:
    """Texts that it takes: one for each way through its choices."""
    choices = [list(islice(_pieces(operator, argument), 6)) or [""] for operator, argument in tree]
    for pieces in islice(product(*choices), 60):
        yield "".join(pieces)


def _pieces(operator: Any, argument: Any) -> Iterator[str]:
    if operator in (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN, ops.CATEGORY):
        yield from _characters(operator, argument)
    elif operator in _REPEATS:
        least, _, body = argument
        for sample in islice(_samples(body), 4):
            yield sample * max(least, 1)
        if not least:
            yield ""
    elif operator is not ops.ASSERT and operator is not ops.ASSERT_NOT:
        for part in _parts(operator, argument):
            yield from _samples(part)


def _shortest(tree: Any) -> str:
    return "".join(min(_pieces(operator, argument), key=len, default="") for operator, argument in tree)


def _letters(tree: Any) -> Iterator[str]:
    for operator, argument in tree:
        if operator in (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN):
            yield from _characters(operator, argument)
        elif operator in _REPEATS:
            yield from _letters(argument[2])
        for part in _parts(operator, argument):
            yield from _letters(part)


_CANDIDATES = [chr(code) for code in (*range(97, 123), *range(48, 58), *range(65, 91), *range(32, 48), 95, 9, 10, 233)]
_CATEGORIES = {ops.CATEGORY_DIGIT: "0", ops.CATEGORY_SPACE: " ", ops.CATEGORY_WORD: "a"}
_CATEGORIES |= {ops.CATEGORY_NOT_DIGIT: "a", ops.CATEGORY_NOT_SPACE: "a", ops.CATEGORY_NOT_WORD: "-"}


def _characters(operator: Any, argument: Any) -> Iterator[str]:
    """A few that fit."""
    if operator is ops.LITERAL:
        yield chr(argument)
    elif operator is ops.ANY:
        yield from "a "
    elif operator is ops.NOT_LITERAL:
        yield from islice((each for each in _CANDIDATES if each != chr(argument)), 2)
    elif operator is ops.CATEGORY:
        yield _CATEGORIES.get(argument, "a")
    else:
        members = [each for each in argument if each[0] is not ops.NEGATE]
        if len(members) == len(argument):
            for kind, value in members:
                yield chr(value[0]) if kind is ops.RANGE else next(_characters(kind, value))
        else:
            yield from islice((each for each in _CANDIDATES if not any(_has(member, each) for member in members)), 4)


def _has(member: Any, character: str) -> bool:
    kind, value = member
    if kind is ops.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if kind is ops.LITERAL:
        return bool(value == ord(character))
    probes = {ops.CATEGORY_DIGIT: r"\d", ops.CATEGORY_SPACE: r"\s", ops.CATEGORY_WORD: r"\w"}
    return re.match(probes[value], character) is not None if value in probes else False
