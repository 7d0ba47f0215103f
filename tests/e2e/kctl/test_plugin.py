"""Programs on the PATH that are verbs, and `kctl plugin list`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl

NAMES = ("kctl-foo", "kubectl-foo-bar", "kubectl-dash_ed", "kctl-create-thing", "kubectl-both", "kctl-both")


@pytest.fixture
def plugins(tmp_path: Path) -> Path:
    """Where kctl looks for programs: see `environment`."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for name in NAMES:
        program(directory / name)
    return directory


def program(path: Path, body: str = 'echo "$(basename "$0"): $*"; exit 3') -> None:
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{body}\n")
    path.chmod(0o755)


RUN = [
    ("foo a --flag -x", "kctl-foo: a --flag -x\n"),
    ("foo bar baz", "kubectl-foo-bar: baz\n"),
    ("foo --x bar", "kctl-foo: --x bar\n"),
    ("dash-ed x", "kubectl-dash_ed: x\n"),
    ("both", "kctl-both: \n"),
    ("create thing x", "kctl-create-thing: x\n"),
    ("foo --help", "kctl-foo: --help\n"),
]


@pytest.mark.parametrize(("line", "said"), RUN, ids=[line for line, _ in RUN])
def test_a_program_is_a_verb_and_its_exit_code_is_kctls(line: str, said: str, run_kctl: Kctl, plugins: Path) -> None:
    assert run_kctl(*line.split()) == Outcome(3, said, "")


def test_a_plugin_is_told_which_kctl_has_called_it(run_kctl: Kctl, plugins: Path) -> None:
    program(plugins / "kctl-who", 'test -n "$KUBECTL_PATH" && echo "$HOME"')
    assert run_kctl("who") == Outcome(0, f"{plugins.parent}\n", "")


def test_what_can_not_be_a_plugin_is_told(run_kctl: Kctl, plugins: Path) -> None:
    assert run_kctl("-n", "x", "foo") == Outcome(1, "", "Error: flags cannot be placed before plugin name: -n\n")
    (plugins / "kctl-junk").write_text("junk")
    (plugins / "kctl-junk").chmod(0o755)
    assert run_kctl("junk") == Outcome(1, "", "Error: exec format error\n")
    (plugins / "kctl-foo").chmod(0o644)
    assert run_kctl("foo").stderr.startswith('error: unknown command "foo" for "kctl"\n')
    assert run_kctl("create", "other", "x").stderr.startswith("error: Unexpected args: [other x]\n")


def test_plugins_are_listed_in_the_order_of_the_path(run_kctl: Kctl, plugins: Path) -> None:
    (plugins / "kctl-create-thing").unlink()
    (plugins / "unrelated").touch()
    names = sorted(name for name in NAMES if name != "kctl-create-thing")
    title = "The following compatible plugins are available:\n\n"
    listed = "".join(f"{plugins}/{name}\n" for name in names)
    assert run_kctl("plugin", "list") == Outcome(0, title + listed, "")
    assert run_kctl("plugin", "list", "--name-only") == Outcome(0, title + "".join(f"{name}\n" for name in names), "")


def test_what_keeps_a_plugin_from_being_used_is_told(run_kctl: Kctl, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    for name in ("kubectl-a", "kubectl-get", "kubectl-create-configmap", "kubectl-rollout-zz"):
        program(one / name)
    program(two / "kubectl-a")
    (two / "kubectl-b").touch()
    (two / "kubectl-c").symlink_to("nowhere")
    (two / "kubectl-dir").mkdir()
    done = run_kctl("plugin", "list", "--name-only", PATH=os.pathsep.join(("/nonexistent", "", str(one), str(two))))
    assert (done.code, done.stdout.splitlines()[2:]) == (
        1,
        [
            "kubectl-a",
            "kubectl-create-configmap",
            "kubectl-get",
            "kubectl-rollout-zz",
            "kubectl-a",
            "kubectl-b",
            "kubectl-c",
        ],
    )
    assert done.stderr.splitlines() == [
        (
            'Unable to read directory "/nonexistent" from your PATH: open /nonexistent: no such file or directory. '
            "Skipping..."
        ),
        '  - warning: kubectl-create-configmap overwrites existing command: "kctl create configmap"',
        '  - warning: kubectl-get overwrites existing command: "kctl get"',
        '  - warning: kubectl-rollout-zz overwrites existing command: "kctl rollout"',
        f"  - warning: {two}/kubectl-a is overshadowed by a similarly named plugin: {one}/kubectl-a",
        f"  - warning: {two}/kubectl-b identified as a kctl plugin, but it is not executable",
        (
            f"  - error: unable to identify {two}/kubectl-c as an executable file: stat {two}/kubectl-c: "
            "no such file or directory"
        ),
        "error: 6 plugin warnings were found",
    ]


def test_no_plugin_at_all_is_an_error(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    assert run_kctl("plugin", "list") == Outcome(1, "", "error: unable to find any kctl plugins in your PATH\n")


def test_the_help_lists_plugins_as_well(run_kctl: Kctl, plugins: Path) -> None:
    shown = run_kctl("--help").stdout
    assert f"\nPlugins:\n  both           {plugins}/kctl-both\n  dash-ed        {plugins}/kubectl-dash_ed\n" in shown
