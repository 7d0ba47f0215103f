"""`kctl config set` and `unset`: one value by its path."""

from __future__ import annotations

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.config.conftest import FILE, Config

SET = [
    ("clusters.cl1.server https://x", "-    server: https://one.example.com\n+    server: https://x"),
    ("clusters.a.b.c.server https://y", "+- cluster:\n+    server: https://y\n+  name: a.b.c"),
    ("clusters.cl1.disable-compression true", "+    disable-compression: true"),
    (
        "clusters.cl1.certificate-authority-data aGVsbG8=",
        ("-    certificate-authority-data: YWJj\n+    certificate-authority-data: aGVsbG8="),
    ),
    (
        "clusters.cl1.certificate-authority-data hello --set-raw-bytes",
        ("-    certificate-authority-data: YWJj\n+    certificate-authority-data: aGVsbG8="),
    ),
    ("contexts.c1.namespace blue", "+    namespace: blue"),
    ("users.u1.tokenFile abc", "+    tokenFile: abc"),
    ("users.u1.act-as joe", "+    as: joe"),
    ("current-context c2", "-current-context: c1\n+current-context: c2"),
    ("current-context nope", "-current-context: c1\n+current-context: nope"),
    ("preferences.colors true", "+preferences:\n+  colors: true"),
    ("kind Foo", ""),
]


@pytest.mark.parametrize(("line", "change"), SET, ids=[line for line, _ in SET])
def test_a_value_is_set_by_its_path(line: str, change: str, config: Config) -> None:
    path = line.split(maxsplit=1)[0]
    assert config.changed("set", *line.split(), said=f'Property "{path}" set.\n') == change


UNSET = [
    ("contexts.c2.namespace", "-    namespace: blue"),
    ("clusters.cl2.insecure-skip-tls-verify", "-    insecure-skip-tls-verify: true"),
    ("clusters.cl1.certificate-authority-data", "-    certificate-authority-data: YWJj"),
    ("users.u1.token", "-  user:\n-    token: t0\n+  user: {}"),
    ("users.u1", "-- name: u1\n-  user:\n-    token: t0"),
    ("current-context", '-current-context: c1\n+current-context: ""'),
    ("clusters.nope", ""),
    ("kind", ""),
    ("preferences", ""),
]


@pytest.mark.parametrize(("path", "change"), UNSET, ids=[path for path, _ in UNSET])
def test_a_value_is_taken_out_by_its_path(path: str, change: str, config: Config) -> None:
    assert config.changed("unset", path, said=f'Property "{path}" unset.\n') == change


def test_all_entries_of_a_sort_are_taken_out_at_once(config: Config) -> None:
    before, after = config.file.read_text(), config.run("unset", "contexts")
    assert after == Outcome(0, 'Property "contexts" unset.\n', "")
    start, end = before.index("contexts:"), before.index("current-context:")
    assert config.file.read_text() == f"{before[:start]}contexts: null\n{before[end:]}"


def test_base64_may_have_lines_and_is_written_in_one(config: Config) -> None:
    path = "clusters.cl1.certificate-authority-data"
    change = config.changed("set", path, "aGVs\nbG8=\n", said=f'Property "{path}" set.\n')
    assert change == "-    certificate-authority-data: YWJj\n+    certificate-authority-data: aGVsbG8="


REFUSED = [
    ("set a.b.c d", "unable to parse a.b.c after [] at api.Config"),
    ("set clusters.cl1.server.foo x", "unable to parse one or more field values of clusters.cl1.server.foo"),
    ("set users.u1.exec.command x", "unable to parse one or more field values of users.u1.exec.command"),
    ("set clusters.cl1.insecure-skip-tls-verify maybe", 'strconv.ParseBool: parsing "maybe": invalid syntax'),
    (
        "set clusters.cl1.certificate-authority-data hello",
        "error decoding input value: illegal base64 data at input byte 4",
    ),
    (
        "set clusters.cl1.certificate-authority-data hello --set-raw-bytes=false",
        "error decoding input value: illegal base64 data at input byte 4",
    ),
    ("set users.u1.act-as-groups joe", "unrecognized slice type. string"),
    ("set users.u1.act-as-user-extra joe", "can't set a map to a value: map[]"),
    ("set users.u1.act-as-user-extra.k joe", "string is not of type struct"),
    ("set preferences.colors maybe", 'strconv.ParseBool: parsing "maybe": invalid syntax'),
    ("unset clusters.nope.server", "current map key `nope` is invalid"),
    ("unset bogus", "unable to parse bogus after [] at api.Config"),
    ("set users.u1.exec x", "can't set a ExecConfig to a value: use 'kctl config set-credentials'"),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_can_not_be_set_is_refused(line: str, said: str, config: Config) -> None:
    assert config.refused(*line.split()) == f"error: {said}\n"


def test_a_whole_list_can_not_be_set(config: Config) -> None:
    assert config.refused("set", "clusters.cl1", "x").startswith("error: can't set a map to a value: map[cl1:0x")


def test_nothing_is_no_value_and_no_path(config: Config) -> None:
    assert config.refused("set", "current-context", "") == "error: you cannot use set to unset a property\n"
    assert config.refused("set", "", "x") == "error: you must specify a property\n"
    assert config.refused("unset", "") == "error: you must specify a property\n"


def test_who_names_no_subcommand_gets_help_on_stderr(config: Config) -> None:
    alone = config.run()
    assert (alone.code, alone.stdout) == (1, "")
    assert alone.stderr == config.run("--help").stdout
    assert config.file.read_text() == FILE
