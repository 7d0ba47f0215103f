"""Versions. Upstream: pkg/cel/library/semverlib.go and blang/semver."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from localplane.apimachinery.cel.declarations import Function, member, overload
from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.types import BOOL, INT, SEMVER, STRING, Type
from localplane.apimachinery.cel.values import Extension
from localplane.apimachinery.golang.text import go_quote

_NUMBERS = re.compile(r"[0-9]+", re.ASCII)
_ALPHANUMERIC = re.compile(r"[0-9A-Za-z-]+", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class Semver(Extension):
    numbers: tuple[int, int, int]
    pre: tuple[int | str, ...] = ()
    build: tuple[str, ...] = ()
    cel_type: ClassVar[Type] = SEMVER

    def __str__(self) -> str:
        text = ".".join(map(str, self.numbers))
        if self.pre:
            text += "-" + ".".join(map(str, self.pre))
        return text + ("+" + ".".join(self.build) if self.build else "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Semver) and compare(self, other) == 0

    def __hash__(self) -> int:
        return hash((self.numbers, self.pre))


def compare(one: Semver, other: Semver) -> int:
    if one.numbers != other.numbers:
        return 1 if one.numbers > other.numbers else -1
    if bool(one.pre) != bool(other.pre):
        return -1 if one.pre else 1
    for a, b in zip(one.pre, other.pre, strict=False):
        if a != b:
            return _compare_parts(a, b)
    return (len(one.pre) > len(other.pre)) - (len(one.pre) < len(other.pre))


def _compare_parts(one: int | str, other: int | str) -> int:
    """Numbers come before words."""
    if isinstance(one, int) and isinstance(other, int):
        return 1 if one > other else -1
    if isinstance(one, str) and isinstance(other, str):
        return 1 if one > other else -1
    return -1 if isinstance(one, int) else 1


def parse(text: str) -> Semver:
    """Raises EvaluationError in the words of blang/semver."""
    if not text:
        raise EvaluationError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise EvaluationError("No Major.Minor.Patch elements found")
    major, minor = _number(parts[0], "Major"), _number(parts[1], "Minor")
    rest, _, build = parts[2].partition("+")
    patch, _, pre = rest.partition("-")
    builds = tuple(build.split(".")) if "+" in parts[2] else ()
    pres = tuple(pre.split(".")) if "-" in rest else ()
    numbers = (major, minor, _number(patch, "Patch"))
    parsed = tuple(_pre_release(each) for each in pres)
    for each in builds:
        if not each:
            raise EvaluationError("Build meta data is empty")
        if not _ALPHANUMERIC.fullmatch(each):
            raise EvaluationError(f"Invalid character(s) found in build meta data {go_quote(each)}")
    return Semver(numbers, parsed, builds)


def _number(text: str, name: str) -> int:
    if not _NUMBERS.fullmatch(text):
        if not text:
            raise EvaluationError('strconv.ParseUint: parsing "": invalid syntax')
        raise EvaluationError(f"Invalid character(s) found in {name.lower()} number {go_quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise EvaluationError(f"{name} number must not contain leading zeroes {go_quote(text)}")
    if len(text) > 20 or int(text) >= 2**64:
        raise EvaluationError(f"strconv.ParseUint: parsing {go_quote(text)}: value out of range")
    return int(text)


def _pre_release(text: str) -> int | str:
    if not text:
        raise EvaluationError("Prerelease is empty")
    if _NUMBERS.fullmatch(text):
        if len(text) > 1 and text[0] == "0":
            raise EvaluationError(f"Numeric PreRelease version must not contain leading zeroes {go_quote(text)}")
        return int(text[:32])
    if not _ALPHANUMERIC.fullmatch(text):
        raise EvaluationError(f"Invalid character(s) found in prerelease {go_quote(text)}")
    return text


def _normalised(text: str) -> str:
    """Without a leading v, with three numbers, and without leading zeros."""
    parts = [_stripped(part) for part in text.removeprefix("v").split(".", 2)]
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            raise EvaluationError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _stripped(part: str) -> str:
    if len(part) <= 1:
        return part
    stripped = part.lstrip("0")
    return stripped if stripped and stripped[0] in "0123456789" else f"0{stripped}"


def _semver(text: str, normalise: bool = False) -> Semver:  # noqa: FBT001, FBT002 - the argument of an expression
    return parse(_normalised(text) if normalise else text)


def _is_semver(text: str, normalise: bool = False) -> bool:  # noqa: FBT001, FBT002 - as above
    try:
        _semver(text, normalise)
    except EvaluationError:
        return False
    return True


_PAIR = (SEMVER, SEMVER)

SEMVERS: tuple[Function, ...] = (
    Function(
        "semver",
        (
            overload("string_to_semver", (STRING,), SEMVER, _semver),
            overload("string_bool_to_semver", (STRING, BOOL), SEMVER, _semver),
        ),
    ),
    Function(
        "isSemver",
        (
            overload("is_semver_string", (STRING,), BOOL, _is_semver),
            overload("is_semver_string_bool", (STRING, BOOL), BOOL, _is_semver),
        ),
    ),
    Function("isGreaterThan", (member("semver_is_greater_than", _PAIR, BOOL, lambda a, b: compare(a, b) > 0),)),
    Function("isLessThan", (member("semver_is_less_than", _PAIR, BOOL, lambda a, b: compare(a, b) < 0),)),
    Function("compareTo", (member("semver_compare_to", _PAIR, INT, compare),)),
    Function("major", (member("semver_major", (SEMVER,), INT, lambda value: value.numbers[0]),)),
    Function("minor", (member("semver_minor", (SEMVER,), INT, lambda value: value.numbers[1]),)),
    Function("patch", (member("semver_patch", (SEMVER,), INT, lambda value: value.numbers[2]),)),
)
