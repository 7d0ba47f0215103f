"""Lines of a width, as kubectl's older explain breaks them."""

from __future__ import annotations

import pytest

from kctl.views.explain.text import paragraphs

BROKEN = [
    ("one two three four", ["one two", "three four"]),
    ("one\ntwo", ["one two"]),
    ("one:\ntwo", ["one:", "two"]),
    ("- one\n- two", ["- one", "- two"]),
    ("1. one\n2 two", ["1. one", "2 two"]),
    ("    code is as it was written\nafter", ["    code is as it was written", "after"]),
    ("one\n\ntwo three four", ["one", "two three", "four"]),
    ("one two three\n\nfour", ["one two", "three", "", "four"]),
    ("\none", ["one"]),
    ("averyverylongword b", ["averyverylongword", "b"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "lines"), BROKEN)
def test_text_is_broken_between_words(text: str, lines: list[str]) -> None:
    assert paragraphs(text, 10) == lines
