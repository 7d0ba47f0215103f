"""`kctl ctx`: the contexts, and switching between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl

FILE = """\
apiVersion: v1
kind: Config
current-context: c1
contexts:
- {name: c1, context: {cluster: a, user: a}}
- {name: c2, context: {cluster: b, user: b}}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "k").write_text(FILE)
    return "k"


def test_contexts_are_listed_and_the_current_one_is_marked(run_kctl: Kctl, file: str) -> None:
    assert run_kctl("ctx", KUBECONFIG=file) == Outcome(0, "* c1\n  c2\n", "")


def test_another_one_is_switched_to_and_a_dash_goes_back(run_kctl: Kctl, file: str) -> None:
    assert run_kctl("ctx", "-", KUBECONFIG=file) == Outcome(1, "", "error: there was no context before this one\n")
    assert run_kctl("ctx", "c2", KUBECONFIG=file) == Outcome(0, 'Switched to context "c2".\n', "")
    assert run_kctl("ctx", KUBECONFIG=file).stdout == "  c1\n* c2\n"
    assert run_kctl("ctx", "-", KUBECONFIG=file) == Outcome(0, 'Switched to context "c1".\n', "")
    assert run_kctl("ctx", "-", KUBECONFIG=file) == Outcome(0, 'Switched to context "c2".\n', "")


def test_one_that_is_not_there_is_refused(run_kctl: Kctl, file: str, tmp_path: Path) -> None:
    assert run_kctl("ctx", "c9", KUBECONFIG=file) == Outcome(1, "", 'error: no context exists with the name: "c9"\n')
    assert run_kctl("ctx", "a", "b", KUBECONFIG=file) == Outcome(1, "", "error: expected one context, not 2\n")
    assert (tmp_path / "k").read_text() == FILE
