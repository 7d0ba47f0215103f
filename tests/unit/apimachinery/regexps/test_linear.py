"""Twice the text takes twice the time, whatever the expression."""

from __future__ import annotations

import time

import pytest

from localplane.apimachinery.golang.regexps import Regexp, TooCostly, automaton
from localplane.apimachinery.golang.regexps import engines as choosing
from tests.unit.apimachinery.regexps.engines import ENGINES, Maker

_TERMS = r"(\d*(\.\d*)?h)|(\d*(\.\d*)?m)|(\d*(\.\d*)?s)|(\d*(\.\d*)?ms)|(\d*(\.\d*)?us)|(\d*(\.\d*)?µs)|(\d*(\.\d*)?ns)"
_HOSTILE = {
    "a header's value, Gateway API": (r"^[!-~]+([\t ]?[!-~]+)*$", "m", " "),
    "a timeout, Contour": (f"^(({_TERMS})+|infinity|infinite)$", "1h1m1ms", "!"),
    "an interval, Contour": (f"^(({_TERMS})+)$", "1.1m", "!"),
    "a window, Contour": (r"^([0-9]+(\.[0-9]+)?(s|m|h))+|0$", "1.1s", "!"),
    "words with hyphens": ("^(([a-z0-9]+)-?)+$", "a", "!"),
    "plus of plus": ("^(a+)+$", "a", "!"),
    "star of star": ("^(a*)*$", "a", "!"),
    "one or the same": ("^(a|a)*$", "a", "!"),
    "one or two": ("^(a|aa)+$", "a", "!"),
    "many in a row": ("a*a*a*a*a*a*a*a*b", "a", "!"),
    "many optional ones": ("^" + "(a?)" * 30 + "a" * 30 + "$", "a", "!"),
    "any, and any again": ("(.*)(.*)(.*)(.*)(.*)[^a]$", "a", "a"),
    "a place in a text of two letters": ("(a|b)*a(a|b){12}$", "ab", "c"),
}


@pytest.fixture(params=[*ENGINES])
def engine(request: pytest.FixtureRequest) -> Maker:
    return ENGINES[request.param]


def _seconds(engine: Maker, pattern: str, text: str) -> float:
    """Of the processor: the least of three, each with an engine that remembers nothing."""
    best = 60.0
    for _ in range(3):
        runner = engine(pattern)
        start = time.process_time()
        runner.is_in(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize(("pattern", "repeated", "tail"), _HOSTILE.values(), ids=_HOSTILE.keys())
def test_time_grows_with_the_text(engine: Maker, pattern: str, repeated: str, tail: str) -> None:
    count = 20_000 // len(repeated)
    short, long = (_seconds(engine, pattern, repeated * times + tail) for times in (count, 4 * count))
    assert long < 10 * short + 0.02, f"{short:.4f} s, and for a text of four times the length {long:.4f}"


@pytest.mark.parametrize("pattern", ["a*b|a", "a.*?b|a", "(a+)+b|a"])
def test_finding_all_gives_up_where_each_search_would_pass_the_whole_text(
    engine: Maker, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (choosing, automaton):
        monkeypatch.setattr(module, "_MOST_PASSED", 1 << 20)
    with pytest.raises(TooCostly):
        list(engine(pattern).all_in("a" * 20_000))


def test_a_text_that_is_too_long_for_a_large_expression_is_refused() -> None:
    expression = Regexp("(a|b)*a(a|b){900}")
    assert not expression.is_in("ab" * 100)
    with pytest.raises(TooCostly):
        expression.is_in("ab" * 1_000_000)


def test_an_expression_with_thousands_of_large_classes_is_read_at_once_and_bounded() -> None:
    start = time.process_time()
    expression = Regexp(r"[\p{L}\p{N}]" * 3000)
    assert not expression.is_in("x" * 40)
    with pytest.raises(TooCostly):
        expression.is_in("x" * 2999)
    assert time.process_time() - start < 10
