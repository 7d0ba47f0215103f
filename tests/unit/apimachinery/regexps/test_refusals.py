"""What is no expression is refused in Go's words."""

from __future__ import annotations

import pytest

from localplane.apimachinery.golang.regexps import InvalidRegexp, compiled


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "missing closing ): `(`"),
        ("(a|b", "missing closing ): `(a|b`"),
        ("a)", "unexpected ): `a)`"),
        ("(a))b", "unexpected ): `(a))b`"),
        ("x[a", "missing closing ]: `[a`"),
        ("x[", "missing closing ]: `[`"),
        ("x[^", "missing closing ]: `[^`"),
        ("[a-", "missing closing ]: `[a-`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("a|*", "missing argument to repetition operator: `*`"),
        ("(*)", "missing argument to repetition operator: `*`"),
        ("+?", "missing argument to repetition operator: `+?`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a*+?", "invalid nested repetition operator: `*+?`"),
        ("x{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
        ("a{2,1}", "invalid repeat count: `{2,1}`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("a{1,1001}", "invalid repeat count: `{1,1001}`"),
        ("a{99999999999999999999}", "invalid repeat count: `{99999999999999999999}`"),
        ("(a{100}){11}", "invalid repeat count: `{11}`"),
        ("(a{100}){11}?", "invalid repeat count: `{11}?`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
        (r"\pX", r"invalid character class range: `\pX`"),
        (r"\p", r"invalid character class range: `\p`"),
        (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
        (r"\p{L", r"invalid character class range: `\p{L`"),
        (r"(a)\1", r"invalid escape sequence: `\1`"),
        (r"\C", r"invalid escape sequence: `\C`"),
        (r"\Z", r"invalid escape sequence: `\Z`"),
        (r"\xZZ", r"invalid escape sequence: `\xZZ`"),
        (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
        (r"\x{}", r"invalid escape sequence: `\x{}`"),
        (r"[\Q]", r"invalid escape sequence: `\Q`"),
        ("a\\", "trailing backslash at end of expression: ``"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?i", "invalid or unsupported Perl syntax: `(?i`"),
        ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        ("(?P<n-m>a)", "invalid named capture: `(?P<n-m>`"),
        ("(?<>a)", "invalid named capture: `(?<>`"),
        ("(" * 1000 + ")" * 1000, f"expression nests too deeply: `{'(' * 1000}{')' * 1000}`"),
        ("a" * 70_000, f"expression too large: `{'a' * 70_000}`"),
    ],
)
def test_a_pattern_that_is_none_is_refused_in_go_s_words(pattern: str, why: str) -> None:
    with pytest.raises(InvalidRegexp) as refused:
        compiled(pattern)
    assert str(refused.value) == f"error parsing regexp: {why}"


@pytest.mark.parametrize("pattern", ["(" * 999 + ")" * 999, "(?:" * 5000 + ")" * 5000, "a{1000}", "(a{100}){10}"])
def test_what_is_just_within_go_s_limits_is_an_expression(pattern: str) -> None:
    assert compiled(pattern).is_in("a" * 1000)
