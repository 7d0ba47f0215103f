"""Names and the sentences about bad ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery import names

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
DNS1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("a", []),
        ("a.b-c.0", []),
        ("a..b", [SUBDOMAIN]),
        ("", [SUBDOMAIN]),
        ("a\n", [SUBDOMAIN]),
        ("A_b", [SUBDOMAIN]),
        ("x" * 253, []),
        ("x" * 254, ["must be no more than 253 characters"]),
        ("é" * 127, ["must be no more than 253 characters", SUBDOMAIN]),
    ],
)
def test_subdomains(name: str, problems: list[str]) -> None:
    assert names.dns1123_subdomain(name) == problems


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("0a-b", []),
        ("a.b", ["must not contain dots"]),
        ("Bad_", [LABEL]),
        ("x" * 64, ["must be no more than 63 characters"]),
    ],
)
def test_labels(name: str, problems: list[str]) -> None:
    assert names.dns1123_label(name) == problems


@pytest.mark.parametrize(("name", "problems"), [("a-0", []), ("0a", [DNS1035]), ("a.b", [DNS1035])])
def test_labels_of_rfc_1035_start_with_a_letter(name: str, problems: list[str]) -> None:
    assert names.dns1035_label(name) == problems


@pytest.mark.parametrize(
    ("prefix", "problems"),
    [
        ("gen-", []),
        ("gen", []),
        ("-", [SUBDOMAIN]),
        ("A-", []),  # the character before the dash goes unseen, in Kubernetes as well
        ("é-", [SUBDOMAIN]),
        ("Bad_", [SUBDOMAIN]),
    ],
)
def test_a_name_to_be_completed_may_end_in_a_dash(prefix: str, problems: list[str]) -> None:
    assert names.dns1123_subdomain(prefix, prefix=True) == problems


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("Any_thing:goes", []),
        ("...", []),
        (".", ["may not be '.'"]),
        ("..", ["may not be '..'"]),
        ("a/b%c", ["may not contain '/'", "may not contain '%'"]),
    ],
)
def test_path_segments(name: str, problems: list[str]) -> None:
    assert names.path_segment_name(name) == problems


def test_a_dot_may_begin_a_path_segment() -> None:
    assert names.path_segment_name("..", prefix=True) == []


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("MyName", []),
        ("example.com/my.name", []),
        ("x" * 63, []),
        ("", ["name part must be non-empty", f"name part {KEY}"]),
        ("bad key", [f"name part {KEY}"]),
        ("x" * 64, ["name part must be no more than 63 bytes"]),
        ("/x", ["prefix part must be non-empty"]),
        ("Upper.io/x", [f"prefix part {SUBDOMAIN}"]),
        ("a." * 127 + "a/x", ["prefix part must be no more than 253 bytes"]),
        ("x/", ["name part must be non-empty", f"name part {KEY}"]),
        (
            "a/b/c",
            [f"a valid label key {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"],
        ),
    ],
)
def test_qualified_names(name: str, problems: list[str]) -> None:
    assert names.qualified_name(name) == problems


def test_the_prefix_of_an_annotation_may_be_in_any_case() -> None:
    assert names.annotation_key("Upper.io/x") == []
    assert names.annotation_key("bad key!") == [f"name part {KEY}"]


@pytest.mark.parametrize(
    ("value", "problems"),
    [("", []), ("a-b_c.D", []), ("-b", [VALUE]), ("x" * 64, ["must be no more than 63 bytes"])],
)
def test_label_values(value: str, problems: list[str]) -> None:
    assert names.label_value(value) == problems


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("orphan", []),
        ("x.io/y", []),
        ("plain", ["name is neither a standard finalizer name nor is it fully qualified"]),
    ],
)
def test_finalizers_of_built_in_kinds_are_standard_or_qualified(name: str, problems: list[str]) -> None:
    assert names.kube_finalizer_name(name) == problems


def test_a_generated_name_has_five_random_characters() -> None:
    generated = names.generate_name("gen-")
    assert generated.startswith("gen-")
    assert len(generated) == 9
    assert set(generated[4:]) <= set("bcdfghjklmnpqrstvwxz2456789")
    assert generated != names.generate_name("gen-")


def test_a_generated_name_fits_a_label() -> None:
    base = "a" * 70 + "-"
    assert names.generate_name(base)[:58] == "a" * 58
    assert len(names.generate_name(base)) == 63


@given(st.text())
def test_no_text_makes_a_check_fail(text: str) -> None:
    for check in (names.dns1123_subdomain, names.dns1123_label, names.dns1035_label, names.path_segment_name):
        assert isinstance(check(text, prefix=True), list)
        assert isinstance(check(text), list)
    names.qualified_name(text)
    names.annotation_key(text)
    names.label_value(text)
    names.generate_name(text)


def test_a_megabyte_of_a_name_is_refused_in_no_time() -> None:
    start = time.thread_time()
    assert len(names.dns1123_subdomain("a." * 500_000 + "!")) == 2
    assert len(names.qualified_name("a" * 1_000_000 + "!")) == 2
    assert time.thread_time() - start < 5, "a tenth of a second or two; hours, if it went back for every letter"
