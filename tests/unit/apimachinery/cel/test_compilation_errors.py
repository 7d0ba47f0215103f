"""What is said of expressions that are refused, to the caret. Every text is Kubernetes' own."""

from __future__ import annotations

import pytest

from localplane.apimachinery.cel import CompilationFailed, base_environment, checked
from localplane.apimachinery.cel.types import DYN

_ANY = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)

# By expression: column, message, and so on for every issue.
ISSUES: dict[str, list[tuple[int, str]]] = {
    "self.": [(6, "Syntax error: no viable alternative at input '.'")],
    "self.true": [(6, "Syntax error: mismatched input 'true' expecting IDENTIFIER")],
    "self.x >": [(9, f"Syntax error: mismatched input '<EOF>' expecting {_ANY}")],
    "1 + +": [
        (5, f"Syntax error: mismatched input '+' expecting {_ANY}"),
        (6, f"Syntax error: mismatched input '<EOF>' expecting {_ANY}"),
    ],
    "x && && y": [(6, f"Syntax error: extraneous input '&&' expecting {_ANY}")],
    "(self.x": [(8, "Syntax error: missing ')' at '<EOF>'")],
    "a b c": [(3, "Syntax error: mismatched input 'b' expecting <EOF>")],
    "self.x = 1": [
        (8, "Syntax error: token recognition error at: '= '"),
        (10, "Syntax error: extraneous input '1' expecting <EOF>"),
    ],
    "self.x == 'abc": [
        (11, "Syntax error: token recognition error at: ''abc'"),
        (15, f"Syntax error: mismatched input '<EOF>' expecting {_ANY}"),
    ],
    "true ? false ? 1 : 2 : 3": [(14, "Syntax error: mismatched input '?' expecting ':'")],
    "t{>C}": [
        (3, "Syntax error: extraneous input '>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"),
        (5, "Syntax error: mismatched input '}' expecting ':'"),
    ],
    "namespace": [(1, "reserved identifier: namespace")],
    "99999999999999999999": [(1, "invalid int literal")],
    "has(self)": [(5, "invalid argument to has() macro")],
    "self.all(1, true)": [(10, "argument must be a simple name")],
    "[1].map(1, 2)": [(9, "argument is not an identifier")],
    "[1, 2].all(i, i, true)": [(15, "duplicate variable name: i")],
    "a.b.c": [(1, "undeclared reference to 'a' (in container '')")],
    "cel.bind(x, 1, x)": [
        (1, "undeclared reference to 'cel' (in container '')"),
        (9, "undeclared reference to 'bind' (in container '')"),
        (10, "undeclared reference to 'x' (in container '')"),
        (16, "undeclared reference to 'x' (in container '')"),
    ],
    "1 + 2.0": [(3, "found no matching overload for '_+_' applied to '(int, double)'")],
    "[1, 2].reverse(1)": [(15, "found no matching overload for 'reverse' applied to 'list(int).(int)'")],
    "1 && 'a'": [(1, "expected type 'bool' but found 'int'"), (6, "expected type 'bool' but found 'string'")],
    "[1, 'a']": [(5, "expected type 'int' but found 'string'")],
    "1.a": [(2, "type 'int' does not support field selection")],
    "'a'.all(x, true)": [
        (1, "expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)")
    ],
    "'abc'.matches('[')": [(15, "invalid matches argument")],
    "duration('abc')": [(10, "invalid duration argument")],
    "'%d'.format(['a'])": [
        (14, "error during formatting: decimal clause can only be used on integers, was given string")
    ],
    "'%d'.format([1, 2])": [(12, "too many arguments supplied to string.format (expected 1, got 2)")],
}


@pytest.mark.parametrize(("text", "issues"), ISSUES.items())
def test_an_issue_is_shown_where_it_is(text: str, issues: list[tuple[int, str]]) -> None:
    with pytest.raises(CompilationFailed) as raised:
        checked(text, base_environment().with_variables({"self": DYN}))
    shown = [f"ERROR: <input>:1:{column}: {said}\n | {text}\n | {'.' * (column - 1)}^" for column, said in issues]
    assert str(raised.value) == "\n".join(shown)


def test_lines_and_wide_characters_are_counted() -> None:
    text = "'é' ==\n\t'ü' + nope"
    with pytest.raises(CompilationFailed) as raised:
        checked(text, base_environment())
    assert str(raised.value) == (
        "ERROR: <input>:2:8: undeclared reference to 'nope' (in container '')\n |  'ü' + nope\n | ..\uff0e....^"
    )


def test_nothing_is_no_expression() -> None:
    with pytest.raises(CompilationFailed) as raised:
        checked("", base_environment())
    assert str(raised.value) == f"ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {_ANY}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(" * 400 + "1" + ")" * 400, "expression recursion limit exceeded: 250"),
        ("1" + "+1" * 300, "max recursion depth exceeded"),
        ("self" + ".a" * 300, "max recursion depth exceeded"),
        ("1" * 100_001, "expression code point size exceeds limit: size: 100001, limit 100000"),
    ],
)
def test_what_is_too_deep_or_too_long_is_refused(text: str, said: str) -> None:
    with pytest.raises(CompilationFailed) as raised:
        checked(text, base_environment().with_variables({"self": DYN}))
    assert str(raised.value) == f"ERROR: <input>:-1:0: {said}"
