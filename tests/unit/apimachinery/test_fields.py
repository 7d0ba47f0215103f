"""Field selectors: the grammar, its faults, and matching."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.selectors import fields
from localplane.apimachinery.selectors.fields import InvalidSelector, Requirement, Selector


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        (",,", ""),
        ("=", ""),
        ("metadata.name=a", "metadata.name=a"),
        ("metadata.name==a", "metadata.name=a"),
        ("b!=2,a=1", "a=1,b!=2"),
        ("spec.nodeName=", "spec.nodeName="),
        (r"a=b\,c\=d\\e", r"a=b\,c\=d\\e"),
        ("a= spaced ", "a= spaced "),
        ("a!b=c", "a!b=c"),
    ],
)
def test_a_selector_reads_back_in_its_canonical_form(text: str, canonical: str) -> None:
    assert str(fields.parse(text)) == canonical


def test_a_backslash_takes_the_next_character_literally() -> None:
    assert fields.parse(r"a=b\,c\=d\\e").requirements == (Requirement("a", "=", r"b,c=d\e"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "invalid selector: 'nonsense'; can't understand 'nonsense'"),
        ("a=1,zzz", "invalid selector: 'a=1,zzz'; can't understand 'zzz'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        ("a===c", "invalid field selector: unescaped character in value: 61"),
        (r"a=\n", r"invalid field selector: invalid escape sequence: \n"),
        ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_a_bad_selector_is_refused_in_the_words_of_kubernetes(text: str, message: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        fields.parse(text)
    assert str(caught.value) == message


def test_a_comma_that_was_not_split_off_is_no_value() -> None:
    with pytest.raises(InvalidSelector, match="unescaped character in value: 44"):
        fields.unescape("a,b")


@pytest.mark.parametrize(
    ("text", "matching", "not_matching"),
    [
        ("a=1", [{"a": "1", "b": "2"}], [{}, {"a": "2"}]),
        ("a!=1", [{}, {"a": "2"}], [{"a": "1"}]),
        ("a=", [{}, {"a": ""}], [{"a": "1"}]),
        ("a=1,b!=2", [{"a": "1"}], [{"a": "1", "b": "2"}, {}]),
        ("", [{}, {"a": "1"}], []),
    ],
)
def test_matching(text: str, matching: list[dict[str, str]], not_matching: list[dict[str, str]]) -> None:
    selector = fields.parse(text)
    by_lookup = selector.compiled({name: lambda obj, name=name: obj.get(name, "") for name in "ab"})  # type: ignore[misc]  # a default argument in a lambda
    assert [given for given in matching if not (selector.matches(given) and by_lookup(given))] == []
    assert [given for given in not_matching if selector.matches(given) or by_lookup(given)] == []


def test_only_what_a_selector_names_is_looked_up() -> None:
    looked_up: list[str] = []

    def name(obj: str) -> str:
        looked_up.append(obj)
        return obj

    def never(_: str) -> str:
        raise AssertionError

    matches = fields.parse("metadata.name=a,absent=").compiled({"metadata.name": name, "status.phase": never})
    assert matches("a")
    assert not matches("b")
    assert looked_up == ["a", "b"]


def test_a_selector_tells_which_value_it_requires() -> None:
    selector = fields.parse("a!=1,a=2,b!=3")
    assert selector.requires_exact_match("a") == "2"
    assert selector.requires_exact_match("b") is None
    assert selector.requires_exact_match("c") is None
    assert fields.equals("a", "2").requires_exact_match("a") == "2"


def test_a_transformation_renames_drops_and_refuses() -> None:
    def transform(field: str, value: str) -> tuple[str, str]:
        if field == "bad":
            raise InvalidSelector("field label not supported: bad")
        return ("", "") if field == "old" else (field.removeprefix("x."), value)

    assert fields.parse("x.a!=1,old=2").transformed(transform) == fields.parse("a!=1")
    with pytest.raises(InvalidSelector, match="field label not supported: bad"):
        fields.parse("bad=1").transformed(transform)


def test_everything_asks_for_nothing() -> None:
    assert fields.everything.is_everything
    assert fields.parse("") == fields.everything
    assert hash(fields.parse("b=1,a=2")) == hash(fields.parse("a==2,b=1"))


SELECTORS = st.lists(
    st.builds(Requirement, st.from_regex(r"\A[a-z.\[\]]{1,8}\Z"), st.sampled_from(["=", "!="]), st.text()), max_size=4
).map(Selector)


@given(SELECTORS)
def test_a_selector_reads_back_from_its_own_text(selector: Selector) -> None:
    assert fields.parse(str(selector)) == selector


@given(st.text("ab=!,\\.é", max_size=20) | st.text())
def test_garbage_is_refused_by_no_other_error(text: str) -> None:
    with suppress(InvalidSelector):
        selector = fields.parse(text)
        assert fields.parse(str(selector)) == selector


@given(st.text())
def test_an_escaped_value_is_itself_again(value: str) -> None:
    assert fields.unescape(fields.escape(value)) == value
