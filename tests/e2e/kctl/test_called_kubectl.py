"""kctl under kubectl's name: whoever calls it so is spoken to as kubectl speaks."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, ROOT, Outcome, environment, kctl
from tests.e2e.conftest import Kctl
from tests.e2e.kctl.desk import Desk

AS_KUBECTL = {"KCTL_AS": "kubectl"}
SAID = [
    ("nonsense", 'error: unknown command "nonsense" for "kubectl"\n'),
    ("list", 'error: unknown command "list" for "kubectl"\n\nDid you mean this?\n\tget\n'),
    ("get --nonsense", "error: unknown flag: --nonsense\nSee 'kubectl get --help' for usage.\n"),
    ("--nonsense", "error: unknown flag: --nonsense\nSee 'kubectl --help' for usage.\n"),
    ("--version", "error: unknown flag: --version\nSee 'kubectl --help' for usage.\n"),
    ("apply a", "error: Unexpected args: [a]\nSee 'kubectl apply -h' for help and examples\n"),
    ("plugin list", "error: unable to find any kubectl plugins in your PATH\n"),
    ("down --name=a --all", "error: --name and --all contradict one another\nSee 'kubectl down --help' for usage.\n"),
    (
        "get",
        (
            'You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of '
            "supported resources.\n\nerror: Required resource not specified.\n"
            'Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl '
            "explain pods).\n"
            "See 'kubectl get -h' for help and examples\n"
        ),
    ),
]


@pytest.mark.parametrize(("line", "said"), SAID, ids=[line for line, _ in SAID])
def test_errors_and_hints_have_the_name_that_it_was_called_by(line: str, said: str, run_kctl: Kctl) -> None:
    done = run_kctl(*line.split(), **AS_KUBECTL)
    assert done.code == 1
    assert done.stderr.endswith(said)


@pytest.mark.parametrize(("typed", "meant"), [("ls", "get"), ("rm", "delete"), ("inspect", "describe")])
def test_other_programs_words_for_a_verb_are_understood_as_a_mistake(typed: str, meant: str, run_kctl: Kctl) -> None:
    assert f"\t{meant}\n" in run_kctl(typed).stderr


def test_help_and_examples_have_it_too(run_kctl: Kctl) -> None:
    shown = run_kctl("label", "--help", **AS_KUBECTL).stdout
    assert "Usage:\n  kubectl label " in shown
    assert "'kubectl options' lists the flags that every command has.\n" in shown
    assert "kctl" not in shown
    own = run_kctl("up", "--help", **AS_KUBECTL).stdout
    assert "Usage:\n  kubectl up " in own
    assert "kctl-NAME" in own, "a context stays what it is called"


def test_the_version_is_kubectls(run_kctl: Kctl) -> None:
    shown = run_kctl("version", "--client", **AS_KUBECTL).stdout
    assert shown.startswith("Client Version: v1.37.0+kctl.")


def test_the_script_for_a_shell_completes_kubectl(run_kctl: Kctl) -> None:
    for shell in ("bash", "zsh", "fish", "powershell"):
        assert "kctl" not in run_kctl("completion", shell, **AS_KUBECTL).stdout
    bash = run_kctl("completion", "bash", **AS_KUBECTL).stdout
    assert "complete -o default -F _kubectl kubectl\n" in bash
    assert "__start_kubectl() {\n" in bash


def test_a_name_that_is_neither_is_refused(run_kctl: Kctl) -> None:
    assert run_kctl("get", "pods", KCTL_AS="k") == Outcome(1, "", "error: KCTL_AS must be 'kctl' or 'kubectl'\n")


def test_a_link_with_that_name_is_enough_and_plugins_find_it_again(tmp_path: Path) -> None:
    link = tmp_path / "bin" / "kubectl"
    link.parent.mkdir()
    program = tmp_path / "kctl"
    program.write_text(f"#!{sys.executable}\nimport sys\nfrom kctl.cli import main\nsys.exit(main())\n")
    program.chmod(0o755)
    link.symlink_to(program)
    plugin = link.with_name("kubectl-ctx")
    plugin.write_text('#!/bin/sh\n"$KUBECTL_PATH" nonsense "$@"\n')
    plugin.chmod(0o755)
    done = subprocess.run(
        [link, "ctx", "--x"], env=environment(tmp_path, {}), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr == 'error: unknown command "nonsense" for "kubectl"\n'


def test_plugins_go_before_verbs_that_kubectl_has_not(run_kctl: Kctl, tmp_path: Path) -> None:
    directory = tmp_path / "bin"
    directory.mkdir()
    for name in ("kubectl-ns", "kctl-both", "kubectl-both", "kubectl-get"):
        (directory / name).write_text(f"#!/bin/sh\necho {name} $*\n")
        (directory / name).chmod(0o755)
    assert run_kctl("ns", "a", **AS_KUBECTL) == Outcome(0, "kubectl-ns a\n", "")
    assert run_kctl("both", **AS_KUBECTL) == Outcome(0, "kubectl-both\n", "")
    assert run_kctl("both") == Outcome(0, "kctl-both\n", "")
    listed = run_kctl("plugin", "list", "--name-only", **AS_KUBECTL)
    assert listed.stderr.splitlines() == [
        '  - warning: kubectl-get overwrites existing command: "kubectl get"',
        "error: one plugin warning was found",
    ]


def test_change_causes_and_what_an_editor_is_given_have_it(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1")
    desk.run("apply", "-f", file, "--record", **AS_KUBECTL)
    cause = desk.run("get", "cm", "a", "-o", r"jsonpath={.metadata.annotations.kubernetes\.io/change-cause}").stdout
    assert cause == "kubectl apply --namespace=<ns> --filename=a.yaml --record=true"
    edited = desk.run("edit", "cm", "a", KUBE_EDITOR=desk.program("print(sys.argv[-1])"), **AS_KUBECTL)
    assert "/kubectl-edit-" in edited.stdout
    desk.run("create", "cm", "b")
    desk.config_map("a.yaml", "b", x="1")
    warned = desk.run("apply", "-f", file, **AS_KUBECTL).stderr
    assert "required by kubectl apply. kubectl apply should only" in warned
    mixed = desk.run("get", "pods", "pods/a", **AS_KUBECTL).stderr
    assert "(e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/" in mixed


def test_whom_changes_belong_to_does_not_depend_on_the_name(desk: Desk) -> None:
    owners = 'jsonpath={range .metadata.managedFields[*]}{.manager} {.operation} {.subresource}{"\\n"}{end}'
    for environ in ({}, AS_KUBECTL):
        desk.run("create", "deploy", "web", "--image=a", **environ)
        desk.run("scale", "deploy/web", "--replicas=2", **environ)
        desk.run("set", "image", "deploy/web", "a=b", **environ)
        desk.run("label", "deploy/web", "a=b", **environ)
        managed = desk.run("get", "deploy", "web", "-o", owners, **environ).stdout.splitlines()
        assert sorted(one.strip() for one in managed) == [
            "kubectl Update scale",
            "kubectl-create Update",
            "kubectl-label Update",
            "kubectl-set Update",
        ]
        desk.run("delete", "deploy", "web", **environ)


def test_an_object_before_its_namespace_is_refused_as_kubectl_does(desk: Desk) -> None:
    place = f"{desk.namespace}-later"
    desk.write(
        "late.yaml",
        f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, namespace: {place}}}}}\n"
        f"---\n{{apiVersion: v1, kind: Namespace, metadata: {{name: {place}}}}}\n",
    )
    command = ("apply", "-f", str(desk.directory / "late.yaml"))
    done = kctl(*command, home=desk.machine.home, environ={**desk.machine.environ, **AS_KUBECTL})
    assert (done.code, done.stdout) == (1, f"namespace/{place} created\n")
    assert f'namespaces "{place}" not found' in done.stderr


def test_its_words_are_not_coloured_by_themselves_on_a_terminal(tmp_path: Path) -> None:
    assert not _coloured(tmp_path, **AS_KUBECTL)
    assert _coloured(tmp_path, KCTL_COLOR="auto", **AS_KUBECTL)
    assert _coloured(tmp_path)


def _coloured(home: Path, **environ: str) -> bool:
    leader, follower = pty.openpty()
    with os.fdopen(leader, "rb", buffering=0) as screen:
        subprocess.run(
            [*KCTL, "nonsense"], env=environment(home, {"TERM": "xterm", **environ}), stderr=follower, check=False
        )
        os.close(follower)
        return b"\x1b[31;1merror:" in screen.read(4096)
