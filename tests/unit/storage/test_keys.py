"""Keys that try to get out of their resource, and resourceVersions that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apiserver.storage.errors import InvalidKey, InvalidResourceVersion
from localplane.apiserver.storage.keys import KeySchema, parse_resource_version

PODS = KeySchema("/registry", "/pods/")

BAD = [
    "",
    "/",
    ".",
    "..",
    "/..",
    "pods/a",
    "/pods.apps/a",
    "/podsecurity/a",
    "/secrets/default/a",
    "/registry/pods/a",
    "/pods/..",
    "/pods/.",
    "/pods/../secrets/a",
    "/pods/default/../../secrets/a",
    "/pods/default/./a",
    "/pods/default/..",
    "/pods/a\x00",
    "/pods/a\x00b/c",
]


@pytest.mark.parametrize("key", [*BAD, "/pods", "/pods/", "/pods/default/"])
def test_what_names_no_object_of_the_resource_is_no_key(key: str) -> None:
    with pytest.raises(InvalidKey):
        PODS.one(key)


@pytest.mark.parametrize("key", BAD)
def test_what_leaves_the_resource_is_no_prefix(key: str) -> None:
    with pytest.raises(InvalidKey):
        PODS.below(key)


def test_a_prefix_always_ends_where_a_name_ends() -> None:
    assert PODS.below("/pods/ns") == PODS.below("/pods/ns/") == "/registry/pods/ns/"
    assert PODS.below("/pods") == PODS.below("/pods/") == PODS.prefix == "/registry/pods/"


@pytest.mark.parametrize("key", ["/pods/...", "/pods/a..b/c", "/pods/..a/b", "/pods/a.", "/pods/default/é"])
def test_dots_inside_a_name_are_harmless(key: str) -> None:
    assert PODS.one(key) == "/registry" + key


@given(st.text() | st.lists(st.sampled_from(["/", "..", ".", "pods", "a", "\x00", "secrets"])).map("".join))
def test_no_key_ever_leaves_its_resource(key: str) -> None:
    for place in (PODS.one, PODS.below):
        try:
            found = place(key)
        except InvalidKey:
            continue
        assert found.startswith("/registry/pods/")
        assert not {".", ".."} & set(found.split("/"))


@pytest.mark.parametrize("key", ["/pods/\ud800", "/pods/é\udcff/a"])
def test_a_key_that_no_store_can_hold_is_refused(key: str) -> None:
    for place in (PODS.one, PODS.below):
        with pytest.raises(InvalidKey):
            place(key)


@pytest.mark.parametrize(("value", "number"), [("", 0), ("0", 0), ("007", 7), ("1", 1), (str(2**64 - 1), 2**64 - 1)])
def test_a_resource_version_is_a_decimal_number(value: str, number: int) -> None:
    assert parse_resource_version(value) == number


@pytest.mark.parametrize(
    "value",
    [
        "-1",
        "+1",
        " 1",
        "1 ",
        "1_0",
        "1.0",
        "1e3",
        "0x1",
        "٣",
        "\uff11",
        "²",
        "abc",
        "\x00",
        "1\n",
        str(2**64),
        "9" * 5000,
    ],
)
def test_what_is_no_decimal_number_is_no_resource_version(value: str) -> None:
    with pytest.raises(InvalidResourceVersion) as raised:
        parse_resource_version(value)
    assert raised.value.value == value


def test_leading_zeros_do_not_make_a_number_too_long() -> None:
    assert parse_resource_version("0" * 30 + "5") == 5


@pytest.mark.parametrize("value", [str(2**64), "9" * 5000, "000" + "9" * 21, f"{2**64}x"])
def test_a_number_beyond_64_bits_is_told_to_be_out_of_range(value: str) -> None:
    with pytest.raises(InvalidResourceVersion, match=f'^resourceVersion: Invalid value: "{value}": .*') as raised:
        parse_resource_version(value)
    assert str(raised.value).endswith(f'strconv.ParseUint: parsing "{value}": value out of range')


@pytest.mark.parametrize(("value", "quoted"), [("abc", '"abc"'), ('a"b', '"a\\"b"'), (f"x{2**64}", f'"x{2**64}"')])
def test_what_is_no_number_is_told_in_kubernetes_words(value: str, quoted: str) -> None:
    with pytest.raises(InvalidResourceVersion) as raised:
        parse_resource_version(value)
    assert str(raised.value) == (
        f"resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: invalid syntax"
    )


@given(st.text())
def test_any_text_is_a_number_or_an_invalid_resource_version(value: str) -> None:
    try:
        number = parse_resource_version(value)
    except InvalidResourceVersion:
        return
    assert 0 <= number < 2**64
