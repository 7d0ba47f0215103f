"""Continue tokens come from clients: they may say anything, and must not reach anything."""

from __future__ import annotations

import base64
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.storage.continuation import AT_THE_PRESENT, Continuation, decode_continue, encode_continue
from localplane.apiserver.storage.errors import InvalidContinueToken
from localplane.apiserver.storage.store.reads import too_old
from tests.unit.storage.samples import texts, values

PREFIX = "/registry/pods/default/"


def token(fields: Any) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(fields)).rstrip(b"=").decode()


def forged(start: Any, *, rv: Any = 5, v: Any = "meta.k8s.io/v1") -> str:
    return token({"v": v, "rv": rv, "start": start})


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="/\x00"), min_size=1).filter(
        lambda name: name not in (".", "..")
    ),
    st.integers(1, 2**63 - 1) | st.just(AT_THE_PRESENT),
)
def test_a_token_of_ours_says_what_it_was_made_of(name: str, revision: int) -> None:
    start = f"{PREFIX}{name}\x00"
    decoded = decode_continue(encode_continue(start, PREFIX, revision), PREFIX)
    assert (decoded.start, decoded.revision) == (start, revision)


def test_the_form_is_the_public_one() -> None:
    made = encode_continue(PREFIX + "a\x00", PREFIX, 5)
    assert "=" not in made
    assert made == forged("a\x00")


def test_a_token_does_not_name_the_prefix_it_was_made_for() -> None:
    made = encode_continue("/registry/secrets/a", "/registry/secrets/", 5)
    assert decode_continue(made, PREFIX).start == PREFIX + "a"


@pytest.mark.parametrize(
    "start",
    [
        "..",
        "../a",
        "/..",
        "/../a",
        "a/../../b",
        "a/..",
        ".",
        "./a",
        "a/.",
        "a/./b",
        "a//b",
        "//a",
        "///",
        "a/",
        "",
        None,
        5,
        ["a"],
    ],
)
def test_a_start_that_moves_about_is_refused(start: Any) -> None:
    with pytest.raises(InvalidContinueToken):
        decode_continue(forged(start), PREFIX)


def refused(text: str) -> str:
    with pytest.raises(InvalidContinueToken) as raised:
        decode_continue(text, PREFIX)
    return str(raised.value)


@pytest.mark.parametrize("rv", [0, None])
def test_a_token_without_a_revision_is_refused(rv: Any) -> None:
    assert refused(forged("a", rv=rv)) == (
        "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"
    )


@pytest.mark.parametrize(
    ("rv", "what"),
    [
        ("5", "string"),
        (1.5, "number 1.5"),
        (True, "bool"),
        ([], "array"),
        ({}, "object"),
        (2**63, "number 9223372036854775808"),
        (2**64 - 1, "number 18446744073709551615"),
    ],
)
def test_a_revision_that_no_store_can_have_is_refused_in_gos_words(rv: Any, what: str) -> None:
    assert refused(forged("a", rv=rv)) == (
        f"continue key is not valid: json: cannot unmarshal {what} into Go struct field continueToken.rv of type int64"
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("nonsense", "invalid character '\\u009e' looking for beginning of value"),
        ("bm9uc2Vuc2U", "invalid character 'o' in literal null (expecting 'u')"),
        ("", "unexpected end of JSON input"),
        ("W10", "json: cannot unmarshal array into Go value of type storage.continueToken"),
    ],
)
def test_what_is_no_json_object_is_refused_in_gos_words(text: str, fault: str) -> None:
    assert refused(text) == f"continue key is not valid: {fault}"


@pytest.mark.parametrize("v", ["", "v1", "meta.k8s.io/v2", None])
def test_another_version_of_the_form_is_refused(v: Any) -> None:
    with pytest.raises(InvalidContinueToken, match="does not recognize this encoded version"):
        decode_continue(forged("a", v=v), PREFIX)


@pytest.mark.parametrize(
    ("text", "at"), [("*", 0), ("ab c", 2), ("abc=", 3), ("a+b/", 1), ("é", 0), ("abcde", 4), ("abc\n", 3)]
)
def test_what_is_no_base64_is_refused_with_the_place(text: str, at: int) -> None:
    with pytest.raises(InvalidContinueToken, match=f"illegal base64 data at input byte {at}$"):
        decode_continue(text, PREFIX)


@pytest.mark.parametrize("fields", [None, 5, "text", [], [1], {}, {"v": 1}, {"start": 5}])
def test_json_that_is_no_token_is_refused(fields: Any) -> None:
    with pytest.raises(InvalidContinueToken):
        decode_continue(token(fields), PREFIX)


def stays_inside(text: str) -> None:
    try:
        decoded = decode_continue(text, PREFIX)
    except InvalidContinueToken:
        return
    assert decoded.start.startswith(PREFIX)
    assert not {".", ".."} & set(decoded.start.split("/"))


@given(st.text() | st.text("abcdefghijklmnop-_=0123"))
def test_any_text_is_a_token_or_refused(text: str) -> None:
    stays_inside(text)


@given(st.binary())
def test_any_bytes_in_base64_are_a_token_or_refused(data: bytes) -> None:
    stays_inside(base64.urlsafe_b64encode(data).rstrip(b"=").decode())


@given(
    st.fixed_dictionaries(
        {"v": st.just("meta.k8s.io/v1") | values, "rv": st.integers(-5, 5) | values},
        optional={"start": st.lists(st.sampled_from(["/", "..", ".", "a", "\x00", "é"])).map("".join) | texts | values},
    )
)
def test_a_forged_token_never_leaves_its_prefix(fields: dict[str, Any]) -> None:
    stays_inside(token(fields))


@pytest.mark.parametrize("start", ["/", "a\x00"])
def test_the_token_to_go_on_with_at_the_present_can_be_used(start: str) -> None:
    begun = decode_continue(forged(start), PREFIX).start
    token = too_old(begun, PREFIX, continued=True).continue_token
    assert decode_continue(token, PREFIX) == Continuation(begun, AT_THE_PRESENT)
