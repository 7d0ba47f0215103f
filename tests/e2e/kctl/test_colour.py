"""Colour, from the command line to the last byte: where it is wanted, and nowhere else."""

from __future__ import annotations

import re

import pytest

from tests.e2e.kctl.conftest import Read
from tests.e2e.kctl.desk import Desk
from tests.e2e.kctl.test_help import on_terminal
from tests.e2e.up.machine import Machine

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
LINES = [
    "get configmaps,deployments --show-labels",
    "get all --no-headers",
    "get configmaps -o yaml",
    "get configmap pear -o json",
    "get deployment web -o kyaml",
    "describe deployment web",
    "describe configmaps",
    "explain pod.spec",
    "explain deployment --recursive",
    "explain deployment -o skeleton",
    "tree deployment web",
    "api-resources",
    "config view",
    "create configmap new --dry-run=client -o yaml",
]


@pytest.mark.parametrize("line", LINES)
def test_without_its_colours_an_output_is_the_output(read: Read, line: str) -> None:
    plain, coloured = read(*line.split()), read(*line.split(), "--color=always")
    assert "\x1b[" not in plain.stdout
    assert "\x1b[" in coloured.stdout
    assert _ages(_COLOUR.sub("", coloured.stdout)) == _ages(plain.stdout)


def _ages(text: str) -> str:
    """The two are not of the same second."""
    return re.sub(r"(\d+[smhd])+ *|<age> *|AGE +", "", text)


def test_a_terminal_gets_colours_unless_somebody_says_no(shop: Machine) -> None:
    def seen(*arguments: str, **environ: str) -> str:
        return on_terminal(shop.home, "get", "configmap/apple", "-n", "shop", *arguments, **shop.environ, **environ)

    assert seen().startswith("\x1b[1mNAME")
    for environ in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"KCTL_COLOR": "never"}):
        assert seen(**environ).startswith("NAME")
    assert seen("--color=never", KCTL_COLOR="always").startswith("NAME")
    assert seen("-o", "yaml", KCTL_THEME="light").startswith("\x1b[38;5;25mapiVersion\x1b[0m: ")


def test_the_environment_may_say_which_colours(read: Read) -> None:
    assert read("get", "configmaps", KCTL_COLOR="always").stdout.startswith("\x1b[1mNAME")
    assert read("get", "cm", KCTL_COLOR="blue").stderr == "error: KCTL_COLOR must be 'auto', 'always' or 'never'\n"
    assert read("get", "cm", KCTL_THEME="red").stderr == "error: KCTL_THEME must be 'auto', 'dark' or 'light'\n"


def test_differences_are_coloured_and_stay_the_same(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "apple", colour="red")
    assert desk.run("apply", "-f", file).code == 0
    desk.config_map("a.yaml", "apple", colour="green")
    plain, coloured = (desk.run("diff", "-f", file, *words) for words in ((), ("--color=always",)))
    assert plain.code == coloured.code == 1
    assert "\x1b[31m-  colour: red\x1b[0m\n\x1b[32m+  colour: green\x1b[0m\n" in coloured.stdout
    assert _COLOUR.sub("", coloured.stdout) == plain.stdout
    elsewhere = desk.run("diff", "-f", file, "--color=always", PATH="/nowhere")
    assert "\x1b[31m-  colour: red\x1b[0m\n" in elsewhere.stdout
    assert elsewhere.code == 1


def test_warnings_stand_out_among_events(desk: Desk) -> None:
    event = """\
apiVersion: v1
kind: Event
metadata:
  name: bad
involvedObject: {kind: Pod, name: web, namespace: NAMESPACE}
type: Warning
reason: BackOff
message: again and again
"""
    assert desk.run("create", "-f", desk.write("e.yaml", event.replace("NAMESPACE", desk.namespace))).code == 0
    for verb in (("events",), ("get", "events")):
        assert "\x1b[31;1mWarning\x1b[0m   BackOff" in desk.run(*verb, "--color=always").stdout


def test_what_an_object_says_is_never_a_colour(desk: Desk) -> None:
    desk.config_map("a.yaml", "evil", text="x")
    patch = '{"metadata":{"annotations":{"a":"\\u001b[31mred"}},"data":{"text":"\\u001b[2Jgone"}}'
    assert desk.run("apply", "-f", "a.yaml").code == 0
    assert desk.run("patch", "cm", "evil", "-p", patch).code == 0
    for line in ("get cm evil -o yaml", "get cm evil -o json", "describe cm evil"):
        coloured = desk.run(*line.split(), "--color=always").stdout
        assert "\x1b" not in _COLOUR.sub("", coloured)
        assert "\x1b[31mred" not in coloured
        assert "\x1b[2J" not in coloured
