"""Reading a regular expression as Go does, from left to right, and writing it for Python.

Groups are written without their numbers: nobody asks what was in them. Go: regexp/syntax, parse.go, with the flags of
regexp.Compile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from .regexp_classes import POSIX, category_class, is_category

_DEEPEST: Final = 1000
_MOST_REPEATED: Final = 1000
_REPEAT: Final = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
_ESCAPES: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PERL_CLASSES: Final = {"d": "0-9", "s": r"\t\n\f\r ", "w": "0-9A-Za-z_"}


class InvalidRegexp(ValueError):
    """What is wrong, and the part of the expression that it is about."""

    def __init__(self, why: str, where: str) -> None:
        super().__init__(f"{why}: `{where}`")


def translated(pattern: str) -> str:
    """The same for Python's re, whose ASCII flag must be set. Raises InvalidRegexp."""
    return _Reader(pattern).whole()


@dataclass(frozen=True, slots=True)
class _Flags:
    """`single` lines: ^ and $ are the ends of the text."""

    fold: bool = False
    single: bool = True
    dot_all: bool = False
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class _Atom:
    """`product` is how many times the most repeated part of it is asked for."""

    text: str
    product: int = 1


class _Reader:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0

    def whole(self) -> str:
        text = self._alternatives(_Flags()).text
        if self._at < len(self._pattern):
            raise InvalidRegexp("unexpected )", self._pattern)
        return text

    def _rest(self, start: int | None = None) -> str:
        return self._pattern[self._at if start is None else start :]

    def _looking_at(self, text: str) -> bool:
        return self._pattern.startswith(text, self._at)

    def _alternatives(self, flags: _Flags) -> _Atom:
        """To the end, or to the parenthesis that closes the group. Flags that are set within count to its end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise InvalidRegexp("expression nests too deeply", self._pattern)
        pieces: list[str] = []
        sequence: list[_Atom] = []
        product, last = 1, -1
        while self._at < len(self._pattern) and not self._looking_at(")"):
            if self._looking_at("|"):
                self._at += 1
                pieces += [*(atom.text for atom in sequence), "|"]
                sequence, last = [], -1
                continue
            start = self._at
            flags, last = self._piece(sequence, flags, last, start)
            product = max([product, *(atom.product for atom in sequence[-1:])])
        self._depth -= 1
        return _Atom("".join([*pieces, *(atom.text for atom in sequence)]), product)

    def _piece(self, sequence: list[_Atom], flags: _Flags, last: int, start: int) -> tuple[_Flags, int]:
        """One piece more: an atom, a repetition of the last one, or other flags. The number is where a repetition
        began, if this was one: it can't be repeated again."""
        character = self._pattern[start]
        repeated = _REPEAT.match(self._pattern, start) if character == "{" else None
        if character in "*+?" or repeated:
            self._repeat(sequence, flags, last, start, repeated)
            return flags, start if last < 0 else last
        if character == "(":
            return self._group(sequence, flags), -1
        sequence.append(self._atom(character, flags))
        return flags, -1

    def _repeat(
        self, sequence: list[_Atom], flags: _Flags, last: int, start: int, repeated: re.Match[str] | None
    ) -> None:
        operator = repeated[0] if repeated else self._pattern[start]
        self._at += len(operator)
        least, most = _bounds(repeated)
        if least > _MOST_REPEATED or most > _MOST_REPEATED or 0 <= most < least:
            raise InvalidRegexp("invalid repeat count", operator)
        lazy = flags.lazy
        if self._looking_at("?"):
            self._at += 1
            lazy = not lazy
        if last >= 0:
            raise InvalidRegexp("invalid nested repetition operator", self._pattern[last : self._at])
        if not sequence:
            raise InvalidRegexp("missing argument to repetition operator", self._pattern[start : self._at])
        repeats, atom = max(least, most), sequence.pop()
        product = atom.product * max(repeats, 1)
        if repeated and repeats >= 2 and product > _MOST_REPEATED:
            raise InvalidRegexp("invalid repeat count", operator)
        sequence.append(_Atom(f"(?:{atom.text}){operator}{'?' if lazy else ''}", product))

    def _group(self, sequence: list[_Atom], flags: _Flags) -> _Flags:
        """The flags for what comes behind it: a group may be nothing but flags."""
        start, within = self._at, flags
        if self._looking_at("(?"):
            within, is_group = self._perl_group(flags, start)
            if not is_group:
                return within
        else:
            self._at += 1
        atom = self._alternatives(within)
        if not self._looking_at(")"):
            raise InvalidRegexp("missing closing )", self._pattern)
        self._at += 1
        sequence.append(replace(atom, text=f"(?:{atom.text})"))
        return flags

    def _perl_group(self, flags: _Flags, start: int) -> tuple[_Flags, bool]:
        for opening in ("(?P<", "(?<"):
            if self._looking_at(opening) and len(self._rest()) > len(opening):
                self._name(opening, start)
                return flags, True
        self._at += 2
        sign, seen = True, False
        while self._at < len(self._pattern):
            character = self._pattern[self._at]
            self._at += 1
            if character in "imsU":
                flags, seen = _flagged(flags, character, on=sign), True
            elif character == "-" and sign:
                sign, seen = False, False
            elif character in ":)" and (sign or seen):
                return flags, character == ":"
            else:
                break
        raise InvalidRegexp("invalid or unsupported Perl syntax", self._pattern[start : self._at])

    def _name(self, opening: str, start: int) -> None:
        end = self._pattern.find(">", start)
        if end < 0:
            raise InvalidRegexp("invalid named capture", self._rest(start))
        if not _NAME.fullmatch(self._pattern, start + len(opening), end):
            raise InvalidRegexp("invalid named capture", self._pattern[start : end + 1])
        self._at = end + 1

    def _atom(self, character: str, flags: _Flags) -> _Atom:
        if character == "[":
            return _Atom(_folded(self._class(), flags))
        if character == "\\":
            return _Atom(self._escaped(flags))
        self._at += 1
        match character:
            case "^":
                return _Atom(r"\A" if flags.single else "(?m:^)")
            case "$":
                return _Atom(r"\Z" if flags.single else "(?m:$)")
            case ".":
                return _Atom(r"[\s\S]" if flags.dot_all else r"[^\n]")
            case _:
                return _Atom(_folded(re.escape(character), flags))

    def _escaped(self, flags: _Flags) -> str:
        """What begins with a backslash, outside of brackets."""
        following = self._pattern[self._at + 1 : self._at + 2]
        if following and following in "AbBz":
            self._at += 2
            return r"\Z" if following == "z" else f"\\{following}"
        if following == "C":
            raise InvalidRegexp("invalid escape sequence", r"\C")
        if following == "Q":
            return self._quoted(flags)
        inside = self._class_escape()
        if inside is not None:
            return _folded(f"[{inside}]", flags)
        return _folded(re.escape(self._escape()), flags)

    def _quoted(self, flags: _Flags) -> str:
        end = self._pattern.find(r"\E", self._at)
        stop = len(self._pattern) if end < 0 else end
        text = self._pattern[self._at + 2 : stop]
        self._at = stop if end < 0 else end + 2
        return _folded(f"(?:{re.escape(text)})", flags)

    def _class_escape(self) -> str | None:
        r"""The inside of brackets for \d, \pL and their like; None if there is no such thing here."""
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter and letter.lower() in _PERL_CLASSES:
            self._at += 2
            return _PERL_CLASSES[letter] if letter.islower() else f"\\{letter}"
        if letter and letter in "pP":
            return self._category(negated=letter == "P")
        return None

    def _category(self, *, negated: bool) -> str:
        start = self._at
        if self._looking_at(self._pattern[start : start + 2] + "{"):
            end = self._pattern.find("}", start)
            if end < 0:
                raise InvalidRegexp("invalid character class range", self._rest(start))
            name, stop = self._pattern[start + 3 : end], end + 1
        else:
            name, stop = self._pattern[start + 2 : start + 3], start + 3
        if name.startswith("^"):
            name, negated = name[1:], not negated
        if not is_category(name):
            raise InvalidRegexp("invalid character class range", self._pattern[start:stop])
        self._at = stop
        return category_class(name, negated=negated)

    def _escape(self) -> str:
        """One character."""
        start = self._at
        letter = self._pattern[start + 1 : start + 2]
        if not letter:
            raise InvalidRegexp("trailing backslash at end of expression", "")
        self._at += 2
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter == "x" and (found := re.compile(r"[0-9A-Fa-f]{2}|\{[0-9A-Fa-f]+\}").match(self._pattern, self._at)):
            self._at = found.end()
            code = int(found[0].strip("{}"), 16)
            if code <= 0x10FFFF:
                return chr(code)
        octal = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}").match(self._pattern, start + 1)
        if octal:
            self._at = octal.end()
            return chr(int(octal[0], 8))
        if not letter.isalnum() and letter.isascii():
            return letter
        raise InvalidRegexp("invalid escape sequence", self._pattern[start : self._at])

    def _class(self) -> str:
        start = self._at
        self._at += 1
        negated = self._looking_at("^")
        self._at += negated
        pieces: list[str] = []
        while not self._looking_at("]") or not pieces:
            pieces.append(self._class_piece(start))
        self._at += 1
        return f"[{'^' if negated else ''}{''.join(pieces)}]"

    def _class_piece(self, start: int) -> str:
        if self._looking_at("[:") and (end := self._pattern.find(":]", self._at + 2)) >= 0:
            name = self._pattern[self._at + 2 : end]
            if name.removeprefix("^") not in POSIX:
                raise InvalidRegexp("invalid character class range", self._pattern[self._at : end + 2])
            self._at = end + 2
            return POSIX[name] if name in POSIX else _complement(POSIX[name[1:]])
        if self._looking_at("\\") and (inside := self._class_escape()) is not None:
            return inside
        begin = self._at
        low = high = self._class_character(start)
        if self._looking_at("-") and self._pattern[self._at + 1 : self._at + 2] not in ("", "]"):
            self._at += 1
            high = self._class_character(start)
            if high < low:
                raise InvalidRegexp("invalid character class range", self._pattern[begin : self._at])
        return _in_class(low) if low == high else f"{_in_class(low)}-{_in_class(high)}"

    def _class_character(self, start: int) -> str:
        if self._at >= len(self._pattern):
            raise InvalidRegexp("missing closing ]", self._rest(start))
        if self._looking_at("\\"):
            return self._escape()
        self._at += 1
        return self._pattern[self._at - 1]


def _bounds(repeated: re.Match[str] | None) -> tuple[int, int]:
    """The most is -1 if there is none."""
    if repeated is None:
        return 0, -1
    least = int(repeated[1]) if len(repeated[1]) <= 8 else _MOST_REPEATED + 1
    if not repeated[2]:
        return least, least
    return least, (int(repeated[3]) if len(repeated[3]) <= 8 else _MOST_REPEATED + 1) if repeated[3] else -1


def _flagged(flags: _Flags, character: str, *, on: bool) -> _Flags:
    match character:
        case "i":
            return replace(flags, fold=on)
        case "m":
            return replace(flags, single=not on)
        case "s":
            return replace(flags, dot_all=on)
        case _:
            return replace(flags, lazy=on)


def _folded(text: str, flags: _Flags) -> str:
    return f"(?i:{text})" if flags.fold else text


def _in_class(character: str) -> str:
    return f"\\{character}" if character in r"\]^-[&~|" else character


def _complement(inside: str) -> str:
    r"""As ranges: a class can't be negated within another. All of them are ASCII."""
    known = re.compile(f"[{inside}]", re.ASCII)
    missing = [chr(code) for code in range(128) if not known.match(chr(code))]
    return "".join(map(_in_class, missing)) + "\x80-\U0010ffff"
