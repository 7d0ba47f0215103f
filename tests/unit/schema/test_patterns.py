"""Patterns mean what they mean to RE2."""

from __future__ import annotations

import pytest

from localplane.apimachinery.schema.patterns import InvalidPattern, searcher


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
        (r"^\d+$", "\u0661", False),
        (r"^\w+$", "\u00e9", False),
        ("^(?:a|b)+$", "abba", True),
        (r"^[a-z]([-a-z0-9]*[a-z0-9])?$", "a-1", True),
    ],
)
def test_a_pattern_is_found_or_not(pattern: str, text: str, found: bool) -> None:  # noqa: FBT001 - a column
    assert (searcher(pattern)(text) is not None) is found


@pytest.mark.parametrize("pattern", ["(", "[a", r"\pL", "a**"])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidPattern):
        searcher(pattern)
