"""Texts of any length that are bad for whoever reads them: repeated, nested, and almost what they should be."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Shape = Callable[[int], str]
"""From a length, roughly, to a text."""

_CHARACTERS = "019aAzeEnuxK_-+./,;:!?=~*%$#@&|^<>()[]{}'\"`\\ \t\n\rµé\U0001f600\0"
_PAIRS = ("()", "[]", "{}", "<>", "''", '""')
_UNITS = (
    "a.", "a,", "a-", "a/", "a:", "a=", "a b", "a=b,", "a in (b),", "!a,", "1.", "1:", "1,", "1-", "1e", "0x", "-1",
    "%2", "%41", "~0/", '\\"', "\\\\", "\\u", "\\n", "['", "['a']", "[0]", "..a", ".a[?(@.b==1)]", "{.a}", "{{.a}}",
    "a|", "&a ", "*a ", "a: b\n", "- a\n", "- ", "# a\n", "---\n", "-----BEGIN A-----\n", "-----END A-----\n",
    "a: |\n ", "? a\n", "!!a ", '"a":', '"a":1,', "1h", "1.5m", "1s1", "a/b;q=1,", "a/b;", ";a=b", "1-5,", "*/5 ",
    "1 ", "::", ":1", "1.1.", "ff", "a@", "<a>", "(a", '"a"', "a=1&", "%zz", "a.b/", "k:{", 'k:{"a":1}', "f:a",
    "1+", "a&&", "a?b:", "a.b(", "[1,", "has(a.b)||", "{{if a}}", "{{range .}}", "eyJ", "==", "a ;",
)  # fmt: skip
_HEADS = (("a", "-"), ("a", "."), ("1", " "), ("a", " "), ('"', "\\"), ("1", "0"), ("0.", "0"), ("1e", "9"), ("-", "1"))
_TAILS = ("", "!", "\0", "x", '"')
_OPENINGS = ("([", "{[", '{"a":', "[[", "((", "a(", "a[", "{{", "{a: ", "- - ", '{"a":[', "!(", "-(", "a?(", "<(")


def _repeated(unit: str, tail: str = "", head: str = "") -> Shape:
    return lambda length: head + unit * max(1, length // len(unit)) + tail


def _nested(opening: str, closing: str) -> Shape:
    def shape(length: int) -> str:
        depth = max(1, length // (len(opening) + len(closing)))
        return opening * depth + closing * depth

    return shape


def shapes() -> Mapping[str, Shape]:
    """All of them, by a name that tells what they are."""
    found: dict[str, Shape] = {}
    for unit in (*_CHARACTERS, *_UNITS):
        for tail in _TAILS if unit.isalnum() or unit in ".-/ \"'\\" else _TAILS[:2]:
            found[f"{unit!r} again and again{f', then {tail!r}' if tail else ''}"] = _repeated(unit, tail)
    for head, unit in (
        ("a", "-"),
        ("a", "."),
        ("1", " "),
        ("a", " "),
        ('"', "\\"),
        ("1", "0"),
        ("0.", "0"),
        ("1e", "9"),
        ("-", "1"),
    ):
        found[f"{head!r}, then {unit!r} again and again, then 'a'"] = _repeated(unit, "a", head)
    for pair in _PAIRS:
        found[f"{pair!r} inside one another"] = _nested(*pair)
    for opening in _OPENINGS:
        found[f"{opening!r} again and again"] = _repeated(opening)
    return found
