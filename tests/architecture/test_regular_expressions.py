"""No regular expression of ours can be made to go back in a text more often than the text is long.

Expressions from outside run on RE2 (`apimachinery/golang/regexps`). Those in the source are Python's, and meet
texts from outside: so each is attacked with texts that are made of it. If yours is found here: let what repeats be
possessive (`[0-9]++`), let what follows a loop begin with what the loop can't take, look only where a match may begin
(`(?<![0-9])[0-9]++`), or compile it with `localplane.apimachinery.golang.regexps`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.architecture.attacks import worst
from tests.architecture.expressions import Unknown, Use, uses
from tests.architecture.sources import texts

PACKAGES = ("localplane", "kctl")

GOES_BACK = {
    "kctl/changes/create/secret.py": "a file that the user names, with a certificate or a key in it",
}
"""Files with an expression that an attack slows down, and why nobody attacks there."""

MADE_OF_VALUES = {
    "localplane/apimachinery/schema/validation/formats.py": "a UUID: all its repetitions are counted",
    "localplane/apimachinery/times.py": "one or two digits",
    "localplane/apiserver/audit/log_file.py": "names of the log's own files",
    "localplane/apiserver/storage/etcd/program/faults.py": "from the table above it, on twenty lines that etcd wrote",
    "kctl/kustomize/patterns.py": "letters and dots, or `.*` alone: others go to the linear engine",
    "kctl/objects/arguments.py": "a file name with stars, which the user wrote, and names of files",
}
"""Files with an expression that is known only when it runs, and why it is harmless."""


@pytest.fixture(scope="module", autouse=True)
def _trees_are_given_up() -> Iterator[None]:
    yield
    uses.cache_clear()


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        ("(a+)+$", "match"),
        ("(a|a)*b", "match"),
        ("(a|aa)+$", "match"),
        ("(x+x+)+y", "match"),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", "match"),
        (r"^[!-~]+([\t ]?[!-~]+)*$", "match"),
        ("([+-]?)0*([0-9]*)(?:(\\.)([0-9]*))?([eE]*[-+]?[0-9]*)", "fullmatch"),
        ("[0-9]*[0-9]*x", "match"),
        (r"\s+$", "search"),
        ("[a-z]+@", "search"),
        ("[0-9]+x", "findall"),
        (r'"[^"\\]*(?:\\.[^"\\]*)*"', "finditer"),
        (r"(.+?)\['(.*)'\]", "fullmatch"),
        (r"BEGIN (\w+)\n.*?END \1", "finditer"),
        (r"^(\w+\s?)*$", "match"),
    ],
)
def test_an_attack_finds_what_goes_back(pattern: str, method: str) -> None:
    assert worst(re.compile(pattern, re.DOTALL), method) is not None


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        ("[a-z]+", "findall"),
        ("[0-9]+", "sub"),
        (r"\s++$", "match"),
        ('(?:[^"\\\\]++|\\\\.)*+"', "match"),
        ("(?<![0-9])[0-9]++x", "findall"),
        (r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", "fullmatch"),
    ],
)
def test_an_attack_finds_nothing_where_there_is_nothing(pattern: str, method: str) -> None:
    assert worst(re.compile(pattern, re.DOTALL), method) is None


@pytest.mark.parametrize("package", PACKAGES)
def test_no_expression_can_be_made_to_go_back(package: str) -> None:
    found = [
        f"{use.place} ({method}): {weakness[0]} takes, by repeats, {weakness[1]}"
        for use in uses(package)
        if use.path not in GOES_BACK and (pattern := _pattern(use)) is not None
        for method in sorted(use.methods)
        if (weakness := worst(pattern, method)) is not None
    ]
    assert found == []


def _pattern(use: Use) -> re.Pattern[str] | None:
    try:
        return use.pattern
    except Unknown:
        return None


def test_expressions_that_are_made_of_values_are_known() -> None:
    made = {use.path for package in PACKAGES for use in uses(package) if _pattern(use) is None}
    assert made == set(MADE_OF_VALUES)


def test_what_is_excused_is_still_there() -> None:
    paths = {use.path for package in PACKAGES for use in uses(package)}
    assert set(GOES_BACK) <= paths


def test_re_is_used_by_its_own_name() -> None:
    """`from re import compile` would go unnoticed here."""
    source = re.compile(r"^\s*(?:from re import|import re as)", re.MULTILINE)
    assert [path for path, text in texts(*PACKAGES) if source.search(text)] == []
