"""Label selectors: the grammar, its faults, and matching."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.selectors import labels
from localplane.apimachinery.selectors.labels import InvalidSelector, Requirement, Selector

KEY = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("  ", ""),
        ("x", "x"),
        ("!x", "!x"),
        ("! x", "!x"),
        ("x=a", "x=a"),
        ("x == a", "x==a"),
        ("x!=a", "x!=a"),
        ("x=", "x="),
        ("x= ,y", "x=,y"),
        ("x>1, y<2", "x>1,y<2"),
        ("z,y=1,x notin (b,a)", "x notin (a,b),y=1,z"),
        ("x in (b, a, b)", "x in (a,b)"),
        ("x in ()", "x in ()"),
        ("x in (,)", "x in ()"),
        ("x in (,a)", "x in (,a)"),
        ("x in (a,)", "x in (,a)"),
        ("x in (a,,b)", "x in (,a,b)"),
        ("in in (in,notin)", "in in (in,notin)"),
        ("notin", "notin"),
        ("a.io/in=in", "a.io/in=in"),
        ("x\t=\na\r", "x=a"),
        ("x=\0a", "x=a"),
        ("x\0,y", "x,y"),
        ("x,y \0z!", "x,y"),
    ],
)
def test_a_selector_reads_back_in_its_canonical_form(text: str, canonical: str) -> None:
    assert str(labels.parse(text)) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",", "found ',', expected: !, identifier, or 'end of string'"),
        ("(", "found '(', expected: !, identifier, or 'end of string'"),
        ("=a", "found '=', expected: !, identifier, or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a,,b", "found ',', expected: identifier after ','"),
        ("a==b==c", "found '==', expected: ',' or 'end of string'"),
        ("a=bad value", "found 'value', expected: ',' or 'end of string'"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("!!a", "unable to parse requirement: found '!', expected: identifier"),
        ("a===x", "unable to parse requirement: found '=', expected: identifier"),
        ("a=!b", "unable to parse requirement: found '!', expected: identifier"),
        ("a in prod", "unable to parse requirement: found 'prod' expected: '('"),
        ("a in", "unable to parse requirement: found '' expected: '('"),
        ("a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"),
        ("a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"),
        ("a in (b,", "unable to parse requirement: found '', expected: ',', or identifier"),
        ("a in (,(", "unable to parse requirement: found '(', expected: ',', or identifier"),
        ("bad key=x", "unable to parse requirement: found 'key', expected: in, notin, =, ==, !=, gt, lt"),
        ("a!b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
        ("a gt 5", "unable to parse requirement: found 'gt', expected: in, notin, =, ==, !=, gt, lt"),
        ("-x=y", f'unable to parse requirement: <nil>: Invalid value: "-x": {KEY}'),
        ("x/=y", f'unable to parse requirement: <nil>: Invalid value: "x/": name part must be non-empty; {KEY}'),
        ("a=-b", f'unable to parse requirement: values[0][a]: Invalid value: "-b": {VALUE}'),
        (
            "a in (x,-b,-c)",
            (
                "unable to parse requirement: "
                f'[values[0][a]: Invalid value: "-b": {VALUE}, values[1][a]: Invalid value: "-c": {VALUE}]'
            ),
        ),
        (
            "a>x",
            (
                "unable to parse requirement: "
                "values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"
            ),
        ),
        (
            "a<9223372036854775808",
            (
                "unable to parse requirement: values[0]: "
                "Invalid value: \"9223372036854775808\": for 'Gt', 'Lt' operators, the value must be an integer"
            ),
        ),
    ],
)
def test_a_bad_selector_is_refused_in_the_words_of_kubernetes(text: str, message: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        labels.parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("operator", "values", "message"),
    [
        ("in", [], "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"),
        ("=", ["a", "b"], 'values: Invalid value: ["a","b"]: exact-match compatibility requires one single value'),
        ("exists", ["a"], 'values: Invalid value: ["a"]: values set must be empty for exists and does not exist'),
        ("gt", [], "values: Invalid value: []: for 'Gt', 'Lt' operators, exactly one value is required"),
        (
            "near",
            [],
            (
                'operator: Unsupported value: "near": supported values: '
                '"in", "notin", "=", "==", "!=", "gt", "lt", "exists", "!"'
            ),
        ),
    ],
)
def test_a_requirement_is_checked_when_it_is_made(operator: str, values: list[str], message: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        labels.requirement("a", operator, values)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "matching", "not_matching"),
    [
        ("x=a", [{"x": "a", "y": "b"}], [{}, {"x": "b"}, {"y": "a"}]),
        ("x=", [{"x": ""}], [{}, {"x": "a"}]),
        ("x!=a", [{}, {"x": "b"}], [{"x": "a"}]),
        ("x in (a,b)", [{"x": "a"}, {"x": "b"}], [{}, {"x": "c"}]),
        ("x in ()", [{"x": ""}], [{}, {"x": "a"}]),
        ("x notin (a,b)", [{}, {"x": "c"}], [{"x": "a"}, {"x": "b"}]),
        ("x", [{"x": ""}], [{"y": "a"}]),
        ("!x", [{"y": "a"}], [{"x": ""}]),
        ("x>5", [{"x": "6"}, {"x": "06"}], [{}, {"x": "5"}, {"x": "a"}, {"x": ""}, {"x": "9223372036854775808"}]),
        ("x<5", [{"x": "4"}, {"x": "-1"}], [{}, {"x": "5"}, {"x": "4.5"}]),
        ("x=a,y=b", [{"x": "a", "y": "b"}], [{"x": "a"}, {"y": "b"}]),
        (
            "x=a,y,!z,w!=1",
            [{"x": "a", "y": ""}],
            [{"x": "a", "y": "", "z": ""}, {"x": "a"}, {"x": "a", "y": "", "w": "1"}],
        ),
        ("", [{}, {"x": "a"}], []),
    ],
)
def test_matching(text: str, matching: list[dict[str, str]], not_matching: list[dict[str, str]]) -> None:
    selector = labels.parse(text)
    assert [given for given in matching if not selector.matches(given)] == []
    assert [given for given in not_matching if selector.matches(given)] == []


def test_a_requirement_that_compares_with_no_number_matches_nothing() -> None:
    assert not Selector([Requirement("x", "gt", ("many",))]).matches({"x": "5"})


def test_a_selector_tells_which_value_it_requires() -> None:
    selector = labels.parse("a=1,b==2,c in (3),d in (4,5),e!=6,f")
    found = {key: selector.requires_exact_match(key) for key in "abcdefg"}
    assert found == {"a": "1", "b": "2", "c": "3", "d": None, "e": None, "f": None, "g": None}


def test_everything_is_the_empty_selector() -> None:
    assert labels.parse("") is labels.everything
    assert labels.parse(" ").is_everything
    assert not labels.parse("a").is_everything


def test_labels_make_the_selector_of_their_equals() -> None:
    assert labels.from_labels({"b": "2", "a": "1"}) == labels.parse("a=1,b=2")
    assert hash(labels.from_labels({"a": "1"})) == hash(labels.parse("a=1"))
    assert labels.from_labels({"a": "1"}) != labels.parse("a==1")


NAMES = st.from_regex(r"\A[A-Za-z0-9]([-A-Za-z0-9_.]{0,10}[A-Za-z0-9])?\Z")
VALUES = NAMES | st.just("")


def made(operator: st.SearchStrategy[str], values: st.SearchStrategy[list[str]]) -> st.SearchStrategy[Requirement]:
    return st.builds(lambda key, sign, given: labels.requirement(key, sign, sorted(given)), NAMES, operator, values)


REQUIREMENTS = st.one_of(
    made(st.sampled_from(["in", "notin"]), st.lists(VALUES, min_size=1, max_size=4, unique=True)),
    made(st.sampled_from(["=", "==", "!="]), st.lists(VALUES, min_size=1, max_size=1)),
    made(st.sampled_from(["gt", "lt"]), st.integers(0, 2**63 - 1).map(lambda number: [str(number)])),
    made(st.sampled_from(["exists", "!"]), st.just([])),
)
SELECTORS = st.lists(REQUIREMENTS, max_size=4).map(Selector)


@given(SELECTORS)
def test_a_selector_reads_back_from_its_own_text(selector: Selector) -> None:
    assert labels.parse(str(selector)) == selector


@given(SELECTORS, st.dictionaries(NAMES, VALUES))
def test_a_selector_matches_when_each_of_its_requirements_does(selector: Selector, given: dict[str, str]) -> None:
    alone = [Selector([requirement]).matches(given) for requirement in selector.requirements]
    assert selector.matches(given) == all(alone)


@given(st.text("ain=!<>(),x/- \t\0é", max_size=30) | st.text())
def test_garbage_is_refused_by_no_other_error(text: str) -> None:
    with suppress(InvalidSelector):
        selector = labels.parse(text)
        assert labels.parse(str(selector)) == selector
