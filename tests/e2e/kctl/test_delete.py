"""`kctl delete`: whole outputs, and every flag once."""

from __future__ import annotations

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_IMMEDIATE = (
    "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The "
    "resource may continue to run on the cluster indefinitely.\n"
)


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """Config maps a, b and c, the first two with a label."""
    for name in "abc":
        label = "" if name == "c" else ", labels: {kept: short}"
        desk.write(f"{name}.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{label}}}\n")
        desk.run("create", "-f", f"{name}.yaml")
    return desk


def test_objects_are_deleted_by_name_file_and_label(filled: Desk) -> None:
    gone = 'configmap "{}" deleted from <ns> namespace\n'
    assert filled.run("delete", "cm", "c") == Outcome(0, gone.format("c"), "")
    assert filled.run("delete", "-f", "a.yaml") == Outcome(0, gone.format("a"), "")
    assert filled.run("delete", "cm", "-l", "kept=short") == Outcome(0, gone.format("b"), "")
    assert filled.run("delete", "cm", "-l", "kept=short") == Outcome(0, "No resources found\n", "")


def test_what_is_not_there_is_told_unless_it_may_be_missing(desk: Desk) -> None:
    said = 'Error from server (NotFound): configmaps "{}" not found\n'
    assert desk.run("delete", "cm", "x", "y") == Outcome(1, "", said.format("x") + said.format("y"))
    assert desk.run("delete", "cm", "x", "--ignore-not-found") == Outcome(0, "", "")


@pytest.mark.parametrize(
    ("flags", "printed"),
    [
        (["--dry-run=client"], 'configmap "a" deleted from <ns> namespace (dry run)\n'),
        (["--dry-run=server"], 'configmap "a" deleted from <ns> namespace (server dry run)\n'),
        (["--dry-run=client", "-o", "name"], "configmap/a\n"),
    ],
)
def test_a_dry_run_deletes_nothing(filled: Desk, flags: list[str], printed: str) -> None:
    assert filled.run("delete", "cm", "a", *flags) == Outcome(0, printed, "")
    assert filled.run("get", "cm", "a", "-o", "name").stdout == "configmap/a\n"


def test_force_says_what_it_does(filled: Desk) -> None:
    done = filled.run("delete", "cm", "a", "--force")
    assert done == Outcome(0, 'configmap "a" force deleted from <ns> namespace\n', _IMMEDIATE)


def test_what_the_user_does_not_confirm_stays(filled: Desk) -> None:
    asked = "You are about to delete the following 1 resource(s):\nconfigmap/a\nDo you want to continue? (y/N): "
    no = filled.run("delete", "cm", "a", "-i", stdin="n\n")
    assert no == Outcome(0, f"{asked}deletion is cancelled\n", "")
    yes = filled.run("delete", "cm", "a", "-i", stdin="y\n")
    assert yes == Outcome(0, f'{asked}configmap "a" deleted from <ns> namespace\n', "")


def test_it_waits_for_finalizers_no_longer_than_told(filled: Desk) -> None:
    filled.run("patch", "cm", "a", "--type=merge", "-p", '{"metadata":{"finalizers":["example.com/held"]}}')
    done = filled.run("delete", "cm", "a", "--timeout=1s")
    said = "error: timed out waiting for the condition on configmaps/a\n"
    assert done == Outcome(1, 'configmap "a" deleted from <ns> namespace\n', said)
    assert filled.run("delete", "cm", "a", "--wait=false").code == 0
    filled.run("patch", "cm", "a", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    assert filled.run("get", "cm", "a", "--ignore-not-found") == Outcome(0, "", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cm"], "resource(s) were provided, but no name was specified"),
        (["cm", "a", "--all"], "name cannot be provided when a selector is specified"),
        (["cm", "--all", "-l", "a=b"], "setting 'all' parameter but found a non empty selector. "),
        (["cm", "a", "--now", "--grace-period=3"], "--now and --grace-period cannot be specified together"),
        (["cm", "a", "--force", "--grace-period=3"],
         "--force and --grace-period greater than 0 cannot be specified together"),
        (["cm", "a", "--cascade=x"], 'invalid cascade value (x). Must be "background", "foreground", or "orphan"'),
        (["cm", "a", "-o", "yaml"], "unexpected -o output mode: yaml. We only support '-o name'"),
        (["bogus", "x"], 'the server doesn\'t have a resource type "bogus"'),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_refused(desk: Desk, arguments: list[str], said: str) -> None:
    assert desk.run("delete", *arguments) == Outcome(1, "", f"error: {said}\n")
