"""Reading a regular expression as Go does, from left to right. Go: regexp/syntax, parse.go, with the flags of
regexp.Compile.

Nothing here calls itself, however deep groups are nested, and no part of an expression is looked at more than a few
times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from .classes import ANY, PERL, POSIX, Characters, Piece, named_class
from .syntax import Assertion, Position, RegexpNode, choice, group, leaf, letter, repeat, row

_LONGEST: Final = 1 << 16
"""Go has no such limit; no pattern of the definitions that people install comes near."""
_DEEPEST: Final = 1000
_MOST_REPEATED: Final = 1000
_LARGEST: Final = (128 << 20) // 40
"""In instructions: what Go gives them 128 MB for."""
_MOST_NAMED: Final = 25_000
"""Classes with names. Go has room for so many times the 1,300 numbers that a class like letters takes."""
_REPEAT: Final = re.compile(r"\{(0|[1-9][0-9]*+)(?:(,)(0|[1-9][0-9]*+)?)?\}")
_NAME: Final = re.compile(r"[A-Za-z0-9_]++")
_OCTAL: Final = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}")
_SPECIAL: Final = frozenset(".^$*+?()[{|\\")
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")
_ESCAPES: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_POSITIONS: Final = {
    "A": Position.TEXT_BEGINS,
    "z": Position.TEXT_ENDS,
    "b": Position.AT_WORD,
    "B": Position.NOT_AT_WORD,
}


class InvalidRegexp(ValueError):
    """What is wrong, and the part of the expression that it is about."""

    def __init__(self, why: str, where: str) -> None:
        super().__init__(f"error parsing regexp: {why}: `{where}`")


@dataclass(frozen=True, slots=True)
class ParsedRegexp:
    """`text` is the expression as RE2 reads it, or None if RE2 can't say it; `named` is how many classes with names it
    has."""

    tree: RegexpNode
    text: str | None
    named: int


def parsed(pattern: str) -> ParsedRegexp:
    """Raises InvalidRegexp."""
    if len(pattern) > _LONGEST:
        raise InvalidRegexp("expression too large", pattern)
    return _Reader(pattern).whole()


@dataclass(frozen=True, slots=True)
class _Flags:
    """`single` lines: ^ and $ are the ends of the text."""

    folds: bool = False
    single: bool = True
    dot_all: bool = False
    lazy: bool = False


@dataclass(slots=True)
class _Open:
    """A group that is being read. `outside` are the flags that count again behind it."""

    outside: _Flags
    has_number: bool
    alternatives: list[RegexpNode] = field(default_factory=list)
    parts: list[RegexpNode] = field(default_factory=list)

    def node(self) -> RegexpNode:
        inside = choice([*self.alternatives, row(self.parts)])
        return group(inside) if self.has_number else inside


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._flags = _Flags()
        self._groups = [_Open(self._flags, has_number=False)]
        self._spelled: list[str] | None = []
        """What RE2 is to read, up to `_copied`; None once there is something that it can't say."""
        self._copied = 0
        self._named = 0
        self._has_class_end = True
        """Whether there may be a `:]` further on."""

    def whole(self) -> ParsedRegexp:
        last = -1
        while self._at < len(self._pattern):
            last = self._piece(last)
        if len(self._groups) > 1:
            raise InvalidRegexp("missing closing )", self._pattern)
        tree = self._checked(self._groups[0].node())
        text = None if self._spelled is None else "".join([*self._spelled, self._pattern[self._copied :]])
        return ParsedRegexp(tree, text, self._named)

    def _looking_at(self, text: str) -> bool:
        return self._pattern.startswith(text, self._at)

    def _push(self, node: RegexpNode) -> None:
        self._groups[-1].parts.append(self._checked(node))

    def _checked(self, node: RegexpNode) -> RegexpNode:
        if node.size > _LARGEST or self._named > _MOST_NAMED:
            raise InvalidRegexp("expression too large", self._pattern)
        if node.height > _DEEPEST:
            raise InvalidRegexp("expression nests too deeply", self._pattern)
        return node

    def _piece(self, last: int) -> int:
        """One piece more. The number is where a repetition began, if this was one: it can't be repeated again."""
        start = self._at
        character = self._pattern[start]
        if character not in _SPECIAL:
            self._at += 1
            self._groups[-1].parts.append(letter(character, folds=self._flags.folds))
            return -1
        repeated = _REPEAT.match(self._pattern, start) if character == "{" else None
        if repeated or character in "*+?":
            self._repeat(last, start, repeated)
            return start
        match character:
            case "(":
                self._open(start)
            case ")":
                self._close()
            case "|":
                self._at += 1
                within = self._groups[-1]
                within.alternatives.append(self._checked(row(within.parts)))
                within.parts = []
            case "[":
                self._push(leaf(self._class()))
            case "\\":
                self._escaped()
            case _:
                self._at += 1
                self._push(self._single(character))
        return -1

    def _single(self, character: str) -> RegexpNode:
        match character:
            case "^":
                return Assertion(Position.TEXT_BEGINS if self._flags.single else Position.LINE_BEGINS)
            case "$":
                return Assertion(Position.TEXT_ENDS if self._flags.single else Position.LINE_ENDS)
            case ".":
                newline = Piece(() if self._flags.dot_all else ((10, 10),))
                return leaf(Characters((newline,), negated=True))
        return letter(character, folds=self._flags.folds)

    # Repetitions

    def _repeat(self, last: int, start: int, repeated: re.Match[str] | None) -> None:
        operator = repeated[0] if repeated else self._pattern[start]
        self._at += len(operator)
        least, most = _bounds(operator, repeated)
        if least > _MOST_REPEATED or (most is not None and (most > _MOST_REPEATED or most < least) and repeated):
            raise InvalidRegexp("invalid repeat count", operator)
        lazy = self._flags.lazy
        if self._looking_at("?"):
            self._at += 1
            lazy = not lazy
        if last >= 0:
            raise InvalidRegexp("invalid nested repetition operator", self._pattern[last : self._at])
        parts = self._groups[-1].parts
        if not parts:
            raise InvalidRegexp("missing argument to repetition operator", self._pattern[start : self._at])
        node = repeat(parts.pop(), least, most, lazy=lazy, counted=repeated is not None)
        self._push(node)
        if repeated and max(least, most or 0) >= 2 and node.product > _MOST_REPEATED:
            raise InvalidRegexp("invalid repeat count", self._pattern[start : self._at])

    # Groups

    def _open(self, start: int) -> None:
        outside = self._flags
        if not self._looking_at("(?"):
            self._at += 1
            self._groups.append(_Open(outside, has_number=True))
            return
        for opening in ("(?P<", "(?<"):
            if self._looking_at(opening) and len(self._pattern) - start > len(opening):
                self._name(opening, start)
                self._groups.append(_Open(outside, has_number=True))
                return
        self._at += 2
        if self._flags_and_colon(start):
            self._groups.append(_Open(outside, has_number=False))

    def _flags_and_colon(self, start: int) -> bool:
        """False if there is nothing but flags, for what comes behind them in the same group."""
        flags, sign, seen = self._flags, True, False
        while self._at < len(self._pattern):
            character = self._pattern[self._at]
            self._at += 1
            if character in "imsU":
                flags, seen = _flagged(flags, character, on=sign), True
            elif character == "-" and sign:
                sign, seen = False, False
            elif character in ":)" and (sign or seen):
                self._flags = flags
                return character == ":"
            else:
                break
        raise InvalidRegexp("invalid or unsupported Perl syntax", self._pattern[start : self._at])

    def _name(self, opening: str, start: int) -> None:
        """RE2 refuses a name that it has seen before, and Go does not: it is told of a group without one."""
        end = self._pattern.find(">", start)
        if end < 0:
            raise InvalidRegexp("invalid named capture", self._pattern[start:])
        if not _NAME.fullmatch(self._pattern, start + len(opening), end):
            raise InvalidRegexp("invalid named capture", self._pattern[start : end + 1])
        self._at = end + 1
        self._spell(start, "(")

    def _close(self) -> None:
        if len(self._groups) == 1:
            raise InvalidRegexp("unexpected )", self._pattern)
        self._at += 1
        closed = self._groups.pop()
        self._flags = closed.outside
        self._push(closed.node())

    # What begins with a backslash

    def _escaped(self) -> None:
        following = self._pattern[self._at + 1 : self._at + 2]
        if following in _POSITIONS:
            self._at += 2
            self._push(Assertion(_POSITIONS[following]))
            if following == "B":
                self._spelled = None  # to RE2 the middle of a character is no boundary of a word
        elif following == "C":
            raise InvalidRegexp("invalid escape sequence", r"\C")
        elif following == "Q":
            end = self._pattern.find(r"\E", self._at + 2)
            stop = len(self._pattern) if end < 0 else end
            text = self._pattern[self._at + 2 : stop]
            self._at = stop if end < 0 else end + 2
            for character in text:
                self._push(letter(character, folds=self._flags.folds))
        elif (piece := self._class_escape()) is not None:
            self._push(leaf(Characters((piece,), folds=self._flags.folds)))
        else:
            self._push(letter(self._escape(), folds=self._flags.folds))

    def _class_escape(self) -> Piece | None:
        r"""What \d, \pL and their like mean; None if there is no such thing here."""
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter in ("p", "P"):
            return self._named_class(negated=letter == "P")
        if letter and letter.lower() in PERL and letter.isascii():
            self._at += 2
            return Piece(PERL[letter.lower()], negated=letter.isupper())
        return None

    def _named_class(self, *, negated: bool) -> Piece:
        start = self._at
        if self._pattern.startswith("{", start + 2):
            end = self._pattern.find("}", start)
            if end < 0:
                raise InvalidRegexp("invalid character class range", self._pattern[start:])
            name, stop = self._pattern[start + 3 : end], end + 1
        else:
            name, stop = self._pattern[start + 2 : start + 3], start + 3
        if name.startswith("^"):
            name, negated = name[1:], not negated
        known = named_class(name) if len(name) <= 64 else None
        if known is None:
            raise InvalidRegexp("invalid character class range", self._pattern[start:stop])
        self._at = stop
        self._named += 1
        if known.is_re2:
            self._spell(start, f"\\{'P' if negated else 'p'}{{{known.name}}}")
        else:
            self._spelled = None
        return Piece(name=known.name, negated=negated)

    def _spell(self, start: int, text: str) -> None:
        """What RE2 is to read instead of the pattern from the start to here."""
        if self._spelled is not None:
            self._spelled += (self._pattern[self._copied : start], text)
            self._copied = self._at

    def _escape(self) -> str:
        """One character."""
        start = self._at
        letter = self._pattern[start + 1 : start + 2]
        if not letter:
            raise InvalidRegexp("trailing backslash at end of expression", "")
        self._at += 2
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        octal = _OCTAL.match(self._pattern, start + 1)
        if octal:
            self._at = octal.end()
            return chr(int(octal[0], 8))
        if letter == "x" and (character := self._hex()) is not None:
            return character
        if letter.isascii() and not letter.isalnum():
            return letter
        raise InvalidRegexp("invalid escape sequence", self._pattern[start : self._at])

    def _hex(self) -> str | None:
        """None if it is none; as much of it has been read as Go reads before it gives up."""
        if not self._looking_at("{"):
            digits = self._pattern[self._at : self._at + 2]
            self._at += len(digits)
            return chr(int(digits, 16)) if len(digits) == 2 and _HEX_DIGITS.issuperset(digits) else None
        self._at += 1
        code, begin = 0, self._at
        while self._at < len(self._pattern):
            digit = self._pattern[self._at]
            self._at += 1
            if digit == "}":
                return chr(code) if self._at - begin > 1 else None
            if digit not in _HEX_DIGITS or (code := code * 16 + int(digit, 16)) > ANY[0][1]:
                return None
        return None

    # Brackets

    def _class(self) -> Characters:
        start = self._at
        self._at += 1
        negated = self._looking_at("^")
        self._at += negated
        pieces = [self._class_piece(start)]
        while not self._looking_at("]"):
            pieces.append(self._class_piece(start))
        self._at += 1
        return Characters(_merged(pieces), negated=negated, folds=self._flags.folds)

    def _class_piece(self, start: int) -> Piece:
        if self._has_class_end and self._looking_at("[:"):
            end = self._pattern.find(":]", self._at + 2)
            self._has_class_end = end >= 0
            if end >= 0:
                return self._posix_class(end + 2)
        if self._looking_at("\\") and (piece := self._class_escape()) is not None:
            return piece
        begin = self._at
        low = high = self._class_character(start)
        if self._looking_at("-") and self._pattern[self._at + 1 : self._at + 2] not in ("", "]"):
            self._at += 1
            high = self._class_character(start)
            if high < low:
                raise InvalidRegexp("invalid character class range", self._pattern[begin : self._at])
        return Piece(((ord(low), ord(high)),))

    def _posix_class(self, stop: int) -> Piece:
        name = self._pattern[self._at + 2 : stop - 2]
        plain = name.removeprefix("^")
        if plain not in POSIX:
            raise InvalidRegexp("invalid character class range", self._pattern[self._at : stop])
        self._at = stop
        return Piece(POSIX[plain], negated=plain != name)

    def _class_character(self, start: int) -> str:
        if self._at >= len(self._pattern):
            raise InvalidRegexp("missing closing ]", self._pattern[start:])
        if self._looking_at("\\"):
            return self._escape()
        self._at += 1
        return self._pattern[self._at - 1]


def _bounds(operator: str, repeated: re.Match[str] | None) -> tuple[int, int | None]:
    if repeated is None:
        return int(operator == "+"), 1 if operator == "?" else None
    least = _number(repeated[1])
    if not repeated[2]:
        return least, least
    return least, _number(repeated[3]) if repeated[3] else None


def _number(digits: str) -> int:
    return int(digits) if len(digits) <= 4 else _MOST_REPEATED + 1


def _flagged(flags: _Flags, character: str, *, on: bool) -> _Flags:
    match character:
        case "i":
            return replace(flags, folds=on)
        case "m":
            return replace(flags, single=not on)
        case "s":
            return replace(flags, dot_all=on)
        case _:
            return replace(flags, lazy=on)


def _merged(pieces: list[Piece]) -> tuple[Piece, ...]:
    """All plain ranges as one piece, however many characters there are between the brackets."""
    plain = {bounds for piece in pieces if not piece.name and not piece.negated for bounds in piece.ranges}
    others = dict.fromkeys(piece for piece in pieces if piece.name or piece.negated)
    return (*((Piece(tuple(sorted(plain))),) if plain else ()), *others)
