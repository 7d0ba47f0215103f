"""The command line, read as pflag reads it."""

from __future__ import annotations

import pytest

from kctl.command_line.flags import Flag, first_word, parse, switch
from kctl.errors import KctlError

FLAGS = (
    Flag("output", short="o"),
    Flag("selector", short="l"),
    Flag("chunk-size", "int", 500),
    Flag("small", "int32", 0),
    Flag("filename", "slice", (), short="f"),
    Flag("as-group", "array", ()),
    Flag("timeout", "duration", 0.0),
    Flag("dry-run", "text", "none", bare="unchanged"),
    switch("watch", "", short="w"),
    switch("all-namespaces", "", short="A"),
)

UNDERSTOOD = [
    ("--output json", "output", "json"),
    ("--output=json", "output", "json"),
    ("-o json", "output", "json"),
    ("-ojson", "output", "json"),
    ("-o=json", "output", "json"),
    ("-o=", "output", "="),
    ("-l=a=b", "selector", "a=b"),
    ("-wAo json", "output", "json"),
    ("--all_namespaces", "all-namespaces", True),
    ("--watch=false", "watch", False),
    ("-w=false", "watch", False),
    ("--watch -w=0", "watch", False),
    ("--chunk-size 0x10", "chunk-size", 16),
    ("--chunk-size=010", "chunk-size", 8),
    ("-f a,b -f c", "filename", ["a", "b", "c"]),
    ("--as-group a,b --as-group c", "as-group", ["a,b", "c"]),
    ("--timeout 1m30s", "timeout", 90.0),
    ("--dry-run", "dry-run", "unchanged"),
    ("--dry-run=client", "dry-run", "client"),
]


@pytest.mark.parametrize(("line", "name", "value"), UNDERSTOOD, ids=[line for line, _, _ in UNDERSTOOD])
def test_a_flag_is_read_as_pflag_reads_it(line: str, name: str, value: object) -> None:
    given = parse(line.split(), FLAGS)
    assert given.changed(name)
    assert given._value(name) == value


REFUSED = [
    ("--bogus", "unknown flag: --bogus"),
    ("--bogus=1", "unknown flag: --bogus"),
    ("-z", "unknown shorthand flag: 'z' in -z"),
    ("-wzA", "unknown shorthand flag: 'z' in -zA"),
    ("--output", "flag needs an argument: --output"),
    ("-o", "flag needs an argument: 'o' in -o"),
    ("-wo", "flag needs an argument: 'o' in -o"),
    ("--=x", "bad flag syntax: --=x"),
    ("---x", "bad flag syntax: ---x"),
    (
        "--watch=perhaps",
        'invalid argument "perhaps" for "-w, --watch" flag: strconv.ParseBool: parsing "perhaps": invalid syntax',
    ),
    (
        "--chunk-size=x",
        'invalid argument "x" for "--chunk-size" flag: strconv.ParseInt: parsing "x": invalid syntax',
    ),
    (
        "--small=3000000000",
        'invalid argument "3000000000" for "--small" flag: strconv.ParseInt: parsing "3000000000": value out of range',
    ),
]


@pytest.mark.parametrize(("line", "message"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_pflag_refuses_is_refused_in_its_words(line: str, message: str) -> None:
    with pytest.raises(KctlError) as refusal:
        parse(line.split(), FLAGS)
    assert str(refusal.value) == message


def test_arguments_and_flags_may_come_in_any_order() -> None:
    given = parse(["cm", "-o", "json", "a", "-w", "b", "-"], FLAGS)
    assert given.arguments == ["cm", "a", "b", "-"]
    assert given.text("output") == "json"


def test_what_follows_two_dashes_is_no_flag() -> None:
    given = parse(["a", "--", "-o", "json"], FLAGS)
    assert given.arguments == ["a", "-o", "json"]
    assert given.dash == 1
    assert not given.changed("output")


def test_of_two_flags_with_the_same_name_the_verbs_own_counts() -> None:
    own = Flag("namespace", "text", "own", short="n")
    given = parse([], (own, Flag("namespace", "text", "everybody's")))
    assert given.text("namespace") == "own"


VERBS = [
    ("get cm", 0),
    ("-o json get", 2),
    ("-ojson get", 1),
    ("--output=json get", 1),
    ("-w get", 1),
    ("--bogus get", None),  # cobra takes it for the flag's value
    ("--bogus=1 get", 1),
    ("-- get", None),
    ("-o json", None),
]


@pytest.mark.parametrize(("line", "position"), VERBS, ids=[line for line, _ in VERBS])
def test_the_verb_is_the_first_word_that_is_no_flags_value(line: str, position: int | None) -> None:
    assert first_word(line.split(), FLAGS) == position


QUOTED = [
    ('"a,b",c', ["a,b", "c"]),
    ('"a""b"', ['a"b']),
    ('"a",', ["a", ""]),
    ('x,"y"', ["x", "y"]),
]
BADLY_QUOTED = [
    ('a"b', 2, 'bare " in non-quoted-field'),
    ('"a"b', 3, 'extraneous or missing " in quoted-field'),
    ('a,"b', 5, 'extraneous or missing " in quoted-field'),
]


@pytest.mark.parametrize(("text", "values"), QUOTED)
def test_a_list_is_read_as_a_line_of_csv(text: str, values: list[str]) -> None:
    assert parse([f"--filename={text}"], FLAGS).texts("filename") == values


@pytest.mark.parametrize(("text", "column", "problem"), BADLY_QUOTED)
def test_a_list_with_stray_quotes_is_refused(text: str, column: int, problem: str) -> None:
    with pytest.raises(KctlError, match=f"flag: parse error on line 1, column {column}: {problem}$"):
        parse([f"--filename={text}"], FLAGS)


def test_a_flag_that_nobody_should_give_any_more_is_still_taken() -> None:
    heard: list[str] = []
    old = Flag("record", "switch", default=False, bare="true", deprecated="--record will be removed in the future")
    given = parse(["--record", "-o", "json", "a"], (*FLAGS, old), heard.append)
    assert heard == ["Flag --record has been deprecated, --record will be removed in the future\n"]
    assert given.said == [("record", "true"), ("output", "json")]
