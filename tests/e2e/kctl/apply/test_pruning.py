"""`kctl apply --prune`: what was applied once and is in no file any more."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk

_ALLOWED = "--prune-allowlist=core/v1/ConfigMap"


@pytest.fixture
def applied(desk: Desk) -> Desk:
    """Config maps a and b, a secret, and one that nobody applied."""
    for name in "ab":
        desk.write(f"{name}.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, labels: {{t: x}}}}\n")
    desk.write("s.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {t: x}}\n")
    desk.run("apply", "-f", ".")
    desk.run("create", "configmap", "others")
    return desk


def test_what_is_in_no_file_is_pruned(applied: Desk) -> None:
    dry = applied.run("apply", "-f", "a.yaml", "--prune", "--all", _ALLOWED, "--dry-run=client")
    assert dry == Outcome(0, "configmap/a unchanged (dry run)\nconfigmap/b pruned (dry run)\n", "")
    done = applied.run("apply", "-f", "a.yaml", "--prune", "--all", _ALLOWED)
    assert done == Outcome(0, "configmap/a unchanged\nconfigmap/b pruned\n", "")
    assert "configmap/others\n" in applied.run("get", "cm", "-o", "name").stdout


def test_only_what_has_the_labels_is_pruned(applied: Desk) -> None:
    unlabelled = applied.config_map("a.yaml", "a")
    kept = applied.run("apply", "-f", unlabelled, "-f", "b.yaml", "--prune", "-l", "t=y", _ALLOWED)
    assert kept == Outcome(1, "", "error: no objects passed to apply\n")
    done = applied.run("apply", "-f", "b.yaml", "--prune", "-l", "t=x", _ALLOWED, "--prune-allowlist=core/v1/Secret")
    assert done == Outcome(0, "configmap/b unchanged\nconfigmap/a pruned\nsecret/s pruned\n", "")


def test_all_of_it_has_to_be_meant(applied: Desk) -> None:
    assert applied.run("apply", "-f", "a.yaml", "--prune") == Outcome(
        1,
        "",
        "error: all resources selected for prune without explicitly passing --all. To prune all resources, pass the "
        "--all flag. If you did not mean to prune all resources, specify a label selector\n",
    )
    assert applied.run("apply", "-f", "a.yaml", "--prune", "--all", "--prune-allowlist=core/v1/Nope") == Outcome(
        1, "", 'error: no matches for kind "Nope" in version "v1"\n'
    )


def test_who_asks_waits_until_what_was_pruned_is_gone(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a")
    metadata = "{name: b, finalizers: [example.com/held]}"
    held = desk.write("b.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {metadata}\n")
    assert desk.run("apply", "-f", file, "-f", held).code == 0
    pruning = ("apply", "-f", file, "--prune", "--all", _ALLOWED)
    done = desk.run(*pruning, "--wait", "--timeout=1s")
    assert done == Outcome(
        1,
        "configmap/a unchanged\nconfigmap/b pruned\n",
        "error: timed out waiting for the condition on configmaps/b\n",
    )
    assert desk.run("patch", "cm/b", "--type=merge", "-p", '{"metadata": {"finalizers": null}}').code == 0


def test_an_apply_set_prunes_what_left_it(desk: Desk) -> None:
    desk.config_map("a.yaml", "a")
    desk.config_map("b.yaml", "b")
    both = ("apply", "-f", "a.yaml", "-f", "b.yaml", "--prune", "--applyset=mine")
    assert desk.run(*both) == Outcome(0, "configmap/a created\nconfigmap/b created\n", "")
    done = desk.run("apply", "-f", "b.yaml", "--prune", "--applyset=mine")
    assert done == Outcome(0, "configmap/b unchanged\nconfigmap/a pruned\n", "")
    assert desk.run("apply", "-f", "b.yaml", "--prune", "--applyset=nope/x") == Outcome(
        1, "", 'error: invalid parent reference "nope/x": no matches for /, Resource=nope\n'
    )


def test_an_apply_set_of_the_former_name_is_taken_over(desk: Desk) -> None:
    """Once kctl called itself so there: the parent was applied by `kctl-applyset`, which is told once."""
    desk.config_map("a.yaml", "a")
    desk.config_map("b.yaml", "b")
    prune = ("--prune", "--applyset=mine")
    assert desk.run("apply", "-f", "a.yaml", "-f", "b.yaml", *prune).code == 0
    parent = json.loads(desk.run("get", "secret", "mine", "-o", "json").stdout)
    metadata = {name: parent["metadata"][name] for name in ("name", "labels", "annotations")}
    metadata["annotations"]["applyset.kubernetes.io/tooling"] = "kctl/v1.37.0"
    former = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata}
    desk.run("delete", "secret", "mine")
    file = desk.write("former.json", json.dumps(former))
    assert desk.run("apply", "--server-side", "--field-manager=kctl-applyset", "-f", file).code == 0
    taken = desk.run("apply", "-f", "b.yaml", *prune)
    assert (taken.code, taken.stdout) == (0, "configmap/b unchanged\nconfigmap/a pruned\n")
    assert 'conflict with "kctl-applyset"' in taken.stderr
    assert desk.run("apply", "-f", "b.yaml", *prune) == Outcome(0, "configmap/b unchanged\n", "")
    tooling = "jsonpath={.metadata.annotations.applyset\\.kubernetes\\.io/tooling}"
    assert desk.run("get", "secret", "mine", "-o", tooling).stdout.startswith("kubectl/")
