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
        (r"^\pL+$", "h\u00e9", True),
        (r"^\PL+$", "h\u00e9", False),
        ("^(?i)A(?-i)B$", "aB", True),
        ("^a(?i:B)c$", "abC", False),
        ("(?m)^b$", "a\nb\nc", True),
        ("^a.b$", "a\nb", False),
        ("(?s)^a.b$", "a\nb", True),
        ("^a{,2}$", "a{,2}", True),
        (r"^\Qa.b\E$", "axb", False),
        ("^[^[:alpha:]]$", "1", True),
        ("^[[:^alpha:]x]$", "x", True),
    ],
)
def test_a_pattern_is_found_or_not(pattern: str, text: str, found: bool) -> None:  # noqa: FBT001 - a column
    assert (searcher(pattern)(text) is not None) is found


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "missing closing ): `(`"),
        ("a)", "unexpected ): `a)`"),
        ("x[a", "missing closing ]: `[a`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("a|*", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("x{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        (r"\pX", r"invalid character class range: `\pX`"),
        (r"(a)\1", r"invalid escape sequence: `\1`"),
        ("a\\", "trailing backslash at end of expression: ``"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
    ],
)
def test_a_pattern_that_is_none_is_refused_in_go_s_words(pattern: str, why: str) -> None:
    with pytest.raises(InvalidPattern) as refused:
        searcher(pattern)
    assert str(refused.value) == f"error parsing regexp: {why}"
