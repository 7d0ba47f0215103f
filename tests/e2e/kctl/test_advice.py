"""Where people fail they are told what to do, on a terminal; programs get kubectl's words alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Kctl
from tests.e2e.kctl.test_help import on_terminal
from tests.e2e.up.machine import Machine


def test_the_version_says_whose_kubectl_it_is_like(tmp_path: Path, run_kctl: Kctl) -> None:
    assert run_kctl("--version").stdout == "kctl v0.1.0 (as kubectl v1.37)\n"
    assert run_kctl("version", "--client").stdout == "Client Version: v0.1.0\nKustomize Version: v5.8.1\n"
    shown = on_terminal(tmp_path, "version", "--client")
    assert shown == "Client Version: v0.1.0 (as kubectl v1.37)\nKustomize Version: v5.8.1\n"


def test_who_asks_while_nothing_is_up_is_told_how_to_start(tmp_path: Path, run_kctl: Kctl) -> None:
    server = "http://127.0.0.1:1"
    told = "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n"
    assert run_kctl("get", "ns", "--server", server).stderr.endswith(told)
    shown = on_terminal(tmp_path, "get", "ns", "--server", server, "--color=never")
    assert shown.endswith(f"{told}\nNo plane is running on this machine. Start one with: kctl up\n")


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("get pods --namspace x", "--namespace"),
        ("up --storag memory", "--storage"),
        ("--kubeconfg x", "--kubeconfig"),
    ],
)
def test_a_mistyped_flag_is_guessed(line: str, meant: str, tmp_path: Path, run_kctl: Kctl) -> None:
    shown = on_terminal(tmp_path, *line.split(), NO_COLOR="1")
    assert shown.endswith(f"\nDid you mean this?\n\t{meant}\n")
    assert "Did you mean" not in run_kctl(*line.split()).stderr


def test_mistyped_fields_namespaces_and_contexts_are_guessed(plane: Machine) -> None:
    for line, told, meant in (
        ("explain pod.spec.container", 'error: field "container" does not exist\n', "containers"),
        ("explain pod.spec.container.image -o skeleton", 'error: field "container" does not exist\n', "containers"),
        (
            "get cm --context kctl-defualt",
            "Error in configuration: context was not found for specified context: kctl-defualt\n",
            "kctl-default",
        ),
        ("get pods -n kube-sytem", "No resources found in kube-sytem namespace.\n", "kube-system"),
    ):
        shown = on_terminal(plane.home, *line.split(), NO_COLOR="1", **plane.environ)
        assert told in shown, line
        assert shown.endswith(f"\nDid you mean this?\n\t{meant}\n"), line
        assert plane.kctl(*line.split()).stderr == told, line


def test_who_looks_at_a_deployment_that_nobody_cares_for_is_told_so(plane: Machine) -> None:
    plane.kctl("create", "deployment", "alone", "--image", "x")
    note = "note: nobody has looked at deployment.apps/alone since it was changed: its controller does not run."
    shown = on_terminal(plane.home, "get", "deploy", "alone", **plane.environ)
    followed = on_terminal(plane.home, "rollout", "status", "deploy/alone", "--timeout=6s", **plane.environ)
    assert note in shown
    assert note in followed
    assert plane.kctl("get", "deploy", "alone").stderr == ""
    waiting = plane.kctl("rollout", "status", "deploy/alone", "--timeout=1s")
    assert waiting.stderr == "error: timed out waiting for the condition\n"
