"""Expressions mean what they mean to Go, whichever engine runs them."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.golang.regexps import Regexp, compiled, engines
from localplane.apimachinery.golang.regexps.automaton import Automaton
from localplane.apimachinery.golang.regexps.engines import RE2Engine
from tests.unit.apimachinery.regexps.engines import ENGINES, Maker, has_re2, with_automaton, with_re2


@pytest.fixture(params=[*ENGINES])
def engine(request: pytest.FixtureRequest) -> Maker:
    return ENGINES[request.param]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("b", "abc", True),
        ("^a$", "a\n", False),
        (r"^a\z", "a", True),
        (r"a\$", "a$", True),
        ("[a$]$", "x$", True),
        (r"^[\]$]+$", "]$]", True),
        ("^[^$]+$", "a$", False),
        ("^[]a]+$", "]a]", True),
        ("^[^]a]+$", "bc", True),
        ("^[[:alpha:]_]+$", "ab_C", True),
        ("^[[:digit:]]+$", "1a", False),
        ("^[a[]+$", "a[a", True),
        ("^[a&&b]+$", "a&b", True),
        ("^[a-]+$", "a-a", True),
        (r"^\d+$", "\u0661", False),
        (r"^\w+$", "\u00e9", False),
        (r"^[\D]+$", "\u0661", True),
        ("^(?:a|b)+$", "abba", True),
        (r"^[a-z]([-a-z0-9]*[a-z0-9])?$", "a-1", True),
        (r"^\pL+$", "h\u00e9", True),
        (r"^\PL+$", "h\u00e9", False),
        (r"^\p{^L}+$", "12", True),
        (r"^\p{Letter}+$", "h\u00e9", True),
        (r"^\p{lowercase_letter}+$", "h\u00e9", True),
        (r"^\p{greek}+$", "\u03b1\u03b2", True),
        (r"^\p{Han}+$", "\u6f22\u5b57", True),
        (r"^[\p{Lu}\p{Nd}_]+$", "A1_", True),
        (r"^[^\p{Lu}]+$", "aBc", False),
        ("^(?i)A(?-i)B$", "aB", True),
        ("^a(?i:B)c$", "abC", False),
        ("^(?i)[a-z]+$", "\u212a\u017f", True),  # the sign for Kelvin and the long s
        ("^(?i)[^k]$", "\u212a", False),
        ("^(?i)\u03c3$", "\u03c2", True),
        ("(?m)^b$", "a\nb\nc", True),
        ("^a.b$", "a\nb", False),
        ("(?s)^a.b$", "a\nb", True),
        ("^a{,2}$", "a{,2}", True),
        ("^a{01}$", "a{01}", True),
        ("^a{0}b$", "b", True),
        ("^(?:ab){2,3}$", "ababab", True),
        ("^(?:ab){2,3}$", "abababab", False),
        ("^x{2,}$", "xxx", True),
        (r"^\Qa.b\E$", "axb", False),
        (r"^\Qab\E*$", "abbb", True),
        (r"^\Qab", "ab", True),
        ("^[^[:alpha:]]$", "1", True),
        ("^[[:^alpha:]x]$", "x", True),
        (r"\bfoo\b", "a foo b", True),
        (r"\bfoo\b", "afoo", False),
        (r"^\x41\x{1F600}\101\n$", "A\U0001f600A\n", True),
        ("^(?P<n>a)(?<n>b)$", "ab", True),
        ("", "", True),
        ("a|", "b", True),
        ("^(|a)+$", "aa", True),
        ("(?U)^a+$", "aa", True),
        (r"[^\x00-\x{10FFFF}]", "a", False),
        ("^.$", "\u00e9", True),
        ("^.$", "\ud800", True),
    ],
)
def test_a_pattern_is_found_or_not(engine: Maker, pattern: str, text: str, found: bool) -> None:  # noqa: FBT001 - a column
    assert engine(pattern).is_in(text) is found


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("a+", "aa b aaa", ["aa", "aaa"]),
        ("a+?", "aa", ["a", "a"]),
        ("a|ab", "ab", ["a"]),
        ("ab|a", "ab", ["ab"]),
        ("a*", "baac", ["", "aa", ""]),
        ("", "ab", ["", "", ""]),
        (r"\b", "ab c", ["", "", "", ""]),
        ("^a", "aaa", ["a"]),
        ("(?m)^.", "ab\ncd", ["a", "c"]),
        ("[^,]*", "\u00e9,,b", ["\u00e9", "", "b"]),
        ("(a|b)*?c", "abcbc", ["abc", "bc"]),
        ("x{2}", "xxxxx", ["xx", "xx"]),
        ("\u00e9?", "\u00e9\u00e9", ["\u00e9", "\u00e9"]),
        ("(|a)*", "aa", ["", "", ""]),
        ("(|a)+", "aa", ["", "", ""]),
    ],
)
def test_all_matches_are_found_in_order_and_the_preferred_ones(
    engine: Maker, pattern: str, text: str, matches: list[str]
) -> None:
    assert list(engine(pattern).all_in(text)) == matches


_ATOMS = st.sampled_from(
    ["a", "b", "\u00e9", ".", "[ab]", "[^a]", r"\w", r"\d", "^", "$", r"\b", "(?m:^)", "(?m:$)", "(?i:B)", "\n", ""]
)
_PATTERNS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}", "{1,3}?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)


@given(pattern=_PATTERNS, text=st.text("ab\u00e9B1 \n", max_size=12))
def test_both_engines_find_the_same(pattern: str, text: str) -> None:
    one, other = with_re2(pattern), with_automaton(pattern)
    assert one.is_in(text) is other.is_in(text)
    assert list(one.all_in(text)) == list(other.all_in(text))


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (r"\B", "1\u00e9", [""]),  # the middle of a character is no place for RE2 to match
        (r"\Boo", "foo", ["oo"]),
        (r"\p{ASCII}+", "a\u00e9b", ["a", "b"]),
        (r"\P{ascii}+", "a\u00e9b", ["\u00e9"]),
        (r"\p{LC}+", "Ab\u02b0", ["Ab"]),
        (r"\pC", "\u0378", ["\u0378"]),
    ],
)
def test_what_re2_has_not_or_reads_differently_means_what_go_means(pattern: str, text: str, matches: list[str]) -> None:
    assert not has_re2(pattern)
    assert list(Regexp(pattern).all_in(text)) == matches


def test_re2_runs_what_it_can_and_the_automaton_the_rest() -> None:
    ordinary, unassigned, heavy = Regexp("^a+$"), Regexp(r"^\p{Assigned}+$"), Regexp(r"\pL{1000}")
    assert ordinary.is_in("aa")
    assert unassigned.is_in("a")
    assert not unassigned.is_in("a\u0378")
    assert heavy.is_in("\u00e9" * 1000)
    kinds = [type(expression._engine) for expression in (ordinary, unassigned, heavy)]
    assert kinds == [RE2Engine, Automaton, Automaton]


def test_without_re2_the_automaton_runs_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    engines._re2.cache_clear()
    try:
        expression = Regexp("^(a|b)+$")
        assert expression.is_in("abab")
        assert not expression.is_in("abac")
        assert type(expression._engine) is Automaton
    finally:
        engines._re2.cache_clear()


def test_an_expression_is_compiled_once_however_often_it_is_asked_for() -> None:
    assert compiled("^once$") is compiled("^once$")
