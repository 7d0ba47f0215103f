"""A short form of `make mutants`, and that it finds a flag that could be ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants.__main__ import by_tests, files_of, table, tried
from tests.mutants.command_lines import EVERY_VERB, FlagOf, understood
from tests.mutants.tests_again import BY_ERRORS, IGNORED, NEVER_GIVEN, NOTICED, Verdict

LINES = [
    ("get pods --watch -l a=b", "get --watch", "get pods -l a=b"),
    ("get pods -wAl a=b", "get --all-namespaces", "get pods -w -l a=b"),
    ("get pods -wAl a=b", "get --selector", "get pods -w -A"),
    ("get pods -la=b -oname", "get --selector", "get pods -oname"),
    ("get pods -o=name --sort-by .x --sort-by=.y", "get --sort-by", "get pods -o=name"),
    ("get pods --sort_by .x -w=false", "get --sort-by", "get pods -w=false"),
    ("get pods --sort-by .x -w=false", "get --watch", "get pods --sort-by .x"),
    ("-n x get pods --namespace=y", f"{EVERY_VERB} --namespace", "get pods"),
    ("create -n x configmap c --from-literal a=b", "create configmap --from-literal", "create -n x configmap c"),
    ("exec -it p -- ls -t", "exec --tty", "exec -i p -- ls -t"),
    ("get pods -o name", "create configmap --output", "get pods -o name"),
    ("up -d --port 0", "up --port", "up -d"),
    ("etcd install --version 3.6.5", "etcd install --version", "etcd install"),
]


@pytest.mark.parametrize(("line", "flag", "left"), LINES)
def test_a_flag_is_taken_out_of_a_line_in_whatever_form_it_is_given(line: str, flag: str, left: str) -> None:
    known = understood(line.split())
    assert known is not None
    assert known.without(FlagOf.parse(flag)) == left.split()
    assert (FlagOf.parse(flag) in known.given()) == (left != line)


@pytest.mark.parametrize("line", ["", "nope", "get --nope", "get pods --sort-by", "get pods -w=maybe", "--help"])
def test_a_line_that_is_refused_is_none_to_forget_anything_in(line: str) -> None:
    assert understood(line.split()) is None


def test_a_flag_that_is_forgotten_is_missed(tmp_path: Path) -> None:
    verdicts = tried(["version"], tmp_path)
    assert {verdict.flag: verdict.verdict for verdict in verdicts} == {
        "version --client": NOTICED,
        "version --output": NOTICED,
    }


WEAK = """
from tests.e2e.command_line import kctl

def test_it_is_shown(tmp_path):
    (tmp_path / "home").mkdir()
    assert kctl("config", "view", "--minify", home=tmp_path, environ={}).code == 1
    assert kctl("config", "view", "--raw", home=tmp_path, environ={}).code == 0
    assert kctl("config", "view", "-o", "json", home=tmp_path, environ={}).stdout[0] == "{"
"""


def test_what_nobody_would_miss_is_found(tmp_path: Path) -> None:
    test = tmp_path / "test_weak.py"
    test.write_text(WEAK)
    verdicts = {
        verdict.flag.rpartition("--")[2]: verdict.verdict for verdict in tried(["config view"], tmp_path, [str(test)])
    }
    assert (verdicts["output"], verdicts["minify"]) == (NOTICED, BY_ERRORS)
    assert (verdicts["raw"], verdicts["flatten"]) == (IGNORED, NEVER_GIVEN)


def test_the_table_names_what_was_missed() -> None:
    verdicts = [
        Verdict("get --watch", NOTICED, "test"),
        Verdict("get --raw", IGNORED),
        Verdict("top pod --sum", NOTICED),
    ]
    assert table(verdicts).splitlines() == [
        "                      noticed  errors only      ignored  never given",
        "get                         1            0            1            0",
        "top                         1            0            0            0",
        "all                         2            0            1            0",
        "",
        "get --raw: ignored",
    ]


def test_every_verb_has_tests() -> None:
    assert files_of("drain") == ["tests/e2e/kctl/test_drain.py"]
    assert files_of("create") == ["tests/e2e/kctl/create"]
    assert files_of(EVERY_VERB) == ["tests/e2e/kctl/test_global_flags.py"]


def test_verbs_with_the_same_tests_are_tried_together() -> None:
    assert by_tests(["up", "drain", "down --all", "undo", "history"]) == [
        ["up", "down --all"],
        ["drain"],
        ["undo", "history"],
    ]
