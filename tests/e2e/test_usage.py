"""Wrong command lines, and help: kubectl's words and exit codes."""

from __future__ import annotations

import pytest

from kctl.cli import GROUPS
from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl

NO_SUCH_THING = [
    ("zzzzzz", 'error: unknown command "zzzzzz" for "kctl"\n'),
    ("versoin", 'error: unknown command "versoin" for "kctl"\n\nDid you mean this?\n\tversion\n'),
    ("vers", 'error: unknown command "vers" for "kctl"\n\nDid you mean this?\n\tversion\n'),
    ("etcd bogus", "error: unknown command \"bogus\"\nSee 'kctl etcd -h' for help and examples\n"),
    ("--bogus", "error: unknown flag: --bogus\nSee 'kctl --help' for usage.\n"),
    ("--bogus=1 version", "error: unknown flag: --bogus\nSee 'kctl version --help' for usage.\n"),
    ("--bogus version", "error: unknown flag: --bogus\nSee 'kctl --help' for usage.\n"),
    ("-z version", "error: unknown shorthand flag: 'z' in -z\nSee 'kctl --help' for usage.\n"),
    ("--namespace", "error: flag needs an argument: --namespace\nSee 'kctl --help' for usage.\n"),
    ("version --bogus", "error: unknown flag: --bogus\nSee 'kctl version --help' for usage.\n"),
    ("etcd install --bogus=1", "error: unknown flag: --bogus\nSee 'kctl etcd install --help' for usage.\n"),
    ("version -z", "error: unknown shorthand flag: 'z' in -z\nSee 'kctl version --help' for usage.\n"),
    ("version -zo", "error: unknown shorthand flag: 'z' in -zo\nSee 'kctl version --help' for usage.\n"),
    ("version -o", "error: flag needs an argument: 'o' in -o\nSee 'kctl version --help' for usage.\n"),
    ("etcd path --etcd", "error: flag needs an argument: --etcd\nSee 'kctl etcd path --help' for usage.\n"),
    ("version more", "error: extra arguments: [more]\n"),
    ("config bogus", "error: unknown command \"bogus\"\nSee 'kctl config -h' for help and examples\n"),
    ("config view --bogus", "error: unknown flag: --bogus\nSee 'kctl config view --help' for usage.\n"),
]


@pytest.mark.parametrize(("line", "stderr"), NO_SUCH_THING, ids=[line for line, _ in NO_SUCH_THING])
def test_what_does_not_exist_is_an_error_in_kubectls_words(line: str, stderr: str, run_kctl: Kctl) -> None:
    assert run_kctl(*line.split()) == Outcome(1, "", stderr)


@pytest.mark.parametrize("line", ["", "--help", "-h", "help"])
def test_help_lists_every_verb_in_its_group(line: str, run_kctl: Kctl) -> None:
    outcome = run_kctl(*line.split())
    assert (outcome.code, outcome.stderr) == (0, "")
    for group in (group for group in GROUPS if group.verbs):
        assert f"\n{group.title}:\n" in outcome.stdout
        for verb in group.verbs:
            assert f"\n  {verb.name:<15} {verb.summary}\n" in outcome.stdout
    assert "\nExamples:\n" in outcome.stdout


@pytest.mark.parametrize("line", ["etcd install --help", "etcd install -h", "help etcd install"])
def test_a_verb_explains_itself_on_stdout(line: str, run_kctl: Kctl) -> None:
    outcome = run_kctl(*line.split())
    assert (outcome.code, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith("Usage: kctl etcd install ")
    assert "--base-url URL" in outcome.stdout


def test_a_verb_of_verbs_alone_shows_its_help_and_fails(run_kctl: Kctl) -> None:
    outcome = run_kctl("etcd")
    assert (outcome.code, outcome.stdout) == (1, "")
    assert outcome.stderr == run_kctl("etcd", "--help").stdout
