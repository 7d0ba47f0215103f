"""`kctl watch` in somebody's hands: keys, a terminal that changes its size, and one that is left as it was."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from localplane.apimachinery import times
from localplane.client.rest.names import GroupVersionResource
from tests.e2e.command_line import KCTL, environment
from tests.e2e.terminal import Terminal, needs_tmux
from tests.e2e.up.machine import Machine, until
from tests.e2e.watch.conftest import Writer
from tests.e2e.watch.many_rows import many_rows

pytestmark = needs_tmux
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
ENDED = "it ended with "


class Tool:
    """A terminal with a `kctl watch` in it."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def start(self, *arguments: str) -> None:
        self.terminal.type(f"{shlex.join([*KCTL, 'watch', *arguments])}; echo {ENDED}$?", "Enter")

    def press(self, *keys: str) -> None:
        self.terminal.type(*keys)

    def shows(self, *texts: str) -> None:
        """Waits for it."""
        until(lambda: all(text in self.terminal.text for text in texts))

    def hides(self, text: str) -> None:
        until(lambda: text not in self.terminal.text)

    @property
    def lines(self) -> list[str]:
        return self.terminal.text.splitlines()

    @property
    def foot(self) -> str:
        return self.lines[-1]

    def end(self) -> None:
        self.press("q")
        self.shows(f"{ENDED}0")


@pytest.fixture
def tool(plane: Machine, tmp_path: Path) -> Iterator[Tool]:
    terminal = Terminal(tmp_path, environment(plane.home, {"PATH": "/usr/bin:/bin"}))
    terminal.start(width=100, height=20)
    yield Tool(terminal)
    terminal.end()


def test_rows_are_moved_through_sorted_and_filtered_as_one_types(tool: Tool, writer: Writer) -> None:
    for number in range(30):
        writer.make(f"map-{number:02}", data={str(key): "x" for key in range(30 - number)})
    tool.start("cm", "-n", writer.namespace)
    tool.shows("that don't fit", "? keys")
    tool.press("Down", "Down")
    tool.shows("2/31", "configmap/map-00")
    assert "\x1b[7m" in tool.terminal.coloured
    tool.press("End")
    tool.shows("31/31", "configmap/map-29")
    tool.hides("configmap/map-00")
    tool.press("g", "/", "map-1")
    tool.shows("/map-1_", "configmap/map-10")
    tool.hides("configmap/map-00")
    tool.press("Enter", ">", ">")
    tool.shows("DATA▲")
    until(lambda: tool.lines[2].split()[:2] == ["configmap/map-19", "11"])
    tool.press("r")
    tool.shows("DATA▼")
    until(lambda: tool.lines[2].split()[:2] == ["configmap/map-10", "20"])
    tool.press("/", "C-u", "map-1 !5", "Enter")
    tool.hides("configmap/map-15")
    tool.press("Escape", "g")
    tool.shows("configmap/map-00", "1/31")
    tool.press("?")
    tool.shows("filter as you type")
    tool.press("q")
    tool.hides("filter as you type")
    tool.press("q")
    tool.shows(f"{ENDED}0", "configmap/map-29")  # all of it stays behind


def test_what_is_under_the_cursor_is_opened(tool: Tool, writer: Writer) -> None:
    writer.make("one", data={"note": "first\nsecond\n", "evil": "\x1b[2Jgone"})
    writer.make(
        "told",
        resource=GroupVersionResource("", "v1", "events"),
        involvedObject={"kind": "ConfigMap", "name": "one", "namespace": writer.namespace},
        type="Warning",
        reason="Odd",
        message="something is odd",
    )
    tool.start("cm/one", "-n", writer.namespace)
    tool.shows("configmap/one")
    tool.press("Enter")
    tool.shows("YAML of configmap/one", "apiVersion: v1", "note: |")
    assert "\x1b[36mdata\x1b[39m:" in tool.terminal.coloured
    tool.press("/", "second", "Enter")
    tool.press("q", "d")
    tool.shows("description of configmap/one", "Name:         one")
    tool.press("Escape", "h")
    tool.shows("history of configmap/one", "ADDED", "+apiVersion: v1")
    tool.press("q", "e")
    tool.shows("events of configmap/one")
    tool.press("q", "l")
    tool.shows("only pods have logs")
    tool.press("o")
    tool.shows("nobody owns configmap/one")
    tool.end()


def test_owners_and_what_they_own_are_gone_to_and_come_back_from(tool: Tool, writer: Writer, plane: Machine) -> None:
    writer.make("mother")
    told = plane.kctl("get", "cm", "mother", "-n", writer.namespace, "-o", "json").stdout
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "mother", "uid": json.loads(told)["metadata"]["uid"]}
    secrets = GroupVersionResource("", "v1", "secrets")
    writer.make("child", resource=secrets, metadata={"name": "child", "ownerReferences": [owner]})
    tool.start("secrets", "-n", writer.namespace)
    tool.shows("secret/child")
    tool.press("o")
    tool.shows("configmaps · namespace", "configmap/mother")
    until(lambda: "2/2" in tool.foot)  # the cursor is on her
    tool.press("w")
    tool.shows("owned by configmap/mother", "secrets/child")
    tool.press("Enter")
    tool.shows("secrets · namespace", "secret/child")
    tool.press("Escape")
    tool.shows("configmap/mother")
    tool.press(":")
    tool.shows("kind, or several", "configmaps (cm)")
    tool.press("sa,secrets", "Enter")
    tool.shows("serviceaccounts, secrets", "secret/child")
    tool.press("n")
    tool.shows("> all namespaces")
    tool.press(writer.namespace)
    tool.shows(f"> {writer.namespace}")
    tool.press("C-u")
    tool.shows("> all namespaces")
    tool.press("Enter")
    tool.shows("NAMESPACE", "all namespaces")
    tool.press(":", "nosuchkind", "Enter")
    tool.shows("""the server doesn't have a resource type "nosuchkind\"""")
    tool.end()


def test_scaling_and_deleting_ask_first(tool: Tool, writer: Writer, plane: Machine) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    writer.make("web", resource=DEPLOYMENTS, spec=spec)
    writer.make("config")
    tool.start("deploy,cm", "-n", writer.namespace)
    tool.shows("deployment.apps/web  0/2", "configmap/config")
    tool.press("s")
    tool.shows("Replicas of deployment.apps/web (now 2):")
    tool.press("x", "Enter")
    tool.shows("'x' is no number of replicas")
    tool.press("s")
    tool.shows("(now 2)")
    tool.press("5", "Enter")
    tool.shows("deployment.apps/web scaled to 5", "deployment.apps/web  0/5")
    tool.press("D")
    tool.shows(f"Delete deployment.apps/web in {writer.namespace}? [y/N]")
    tool.press("n")
    tool.hides("[y/N]")
    tool.press("Down", "s")
    tool.shows("configmap/config can't be scaled")
    tool.press("D")
    tool.shows("Delete configmap/config in")
    tool.press("y")
    tool.shows("configmap/config deleted")
    tool.hides("configmap/config  ")
    tool.press("q")
    tool.shows(f"{ENDED}0")
    assert plane.kctl("get", "deploy,cm", "-n", writer.namespace, "-o", "name").stdout.splitlines() == [
        "deployment.apps/web",
        "configmap/kube-root-ca.crt",
    ]


def test_a_narrow_terminal_says_what_it_does_not_show(tool: Tool, writer: Writer) -> None:
    writer.make(
        "odd",
        resource=GroupVersionResource("", "v1", "events"),
        involvedObject={"kind": "ConfigMap", "name": "one", "namespace": writer.namespace},
        type="Warning",
        reason="Odd",
        message="something is odd",
        firstTimestamp=times.now(),
        lastTimestamp=times.now(),
    )
    tool.start("events", "-n", writer.namespace)
    tool.shows("something is odd")
    before = tool.lines[2].split()[0]
    until(lambda: tool.lines[2].split()[0] != before)  # LAST SEEN ticks
    tool.terminal.resize(40, 10)
    tool.shows("not shown: MESSAGE")
    assert all(len(line) <= 40 for line in tool.lines)
    assert "? keys" in tool.lines[0]
    tool.press("Down", "Right", "Right", "Right")
    tool.shows("something is odd", "1/1")
    tool.terminal.resize(120, 30)
    tool.press("Left", "Left", "Left")
    tool.shows("something is odd", "q end")
    tool.end()


@pytest.mark.parametrize(("signal", "code"), [("TERM", 143), ("HUP", 129)])
def test_a_kill_leaves_the_terminal_as_it_was(tool: Tool, writer: Writer, signal: str, code: int) -> None:
    settings = _settings(tool, "before")
    tool.start("cm", "-n", writer.namespace)
    tool.shows("configmap/kube-root-ca.crt")
    tool.press("Enter")
    tool.shows("YAML of configmap/kube-root-ca.crt")
    assert tool.terminal.state("alternate_on") == "1"
    subprocess.run(["pkill", f"-{signal}", "-P", tool.terminal.state("pane_pid")], check=True)
    tool.shows(f"{ENDED}{code}")
    assert tool.terminal.state("alternate_on") == "0"
    assert tool.terminal.state("cursor_flag") == "1"
    assert _settings(tool, "after") == settings


def _settings(tool: Tool, when: str) -> str:
    tool.press(f"stty -g; echo {when}-it-is", "Enter")
    until(lambda: f"\n{when}-it-is" in tool.terminal.text)
    return str(re.findall(rf"^(\S+)\n{when}-it-is", tool.terminal.text, re.MULTILINE)[-1])


def test_what_ends_it_leaves_the_terminal_as_it_was_and_is_told_there(tool: Tool) -> None:
    """A warning before that is told on the last line, not over the table."""
    with many_rows(5) as server:
        tool.start("po", "-n", "default", "-s", server.url)
        tool.shows("pod/pod-00004")
        server.warning = "pods are old"
        tool.press("Enter")
        tool.shows("YAML of pod/pod-00000", "kind: Pod", "Warning: pods are old")
        server.refuses = True
        tool.shows("Error from server (Forbidden): pods are forbidden: no", f"{ENDED}1")
        assert tool.terminal.state("alternate_on") == "0"
        assert tool.terminal.state("cursor_flag") == "1"


def test_five_thousand_rows_of_which_fifty_change_each_second(tool: Tool, plane: Machine) -> None:
    """Whoever presses a key sees what it does before long: all of this happens while changes come in."""
    with many_rows(5000) as server:
        tool.start("po", "-n", "default", "-s", server.url)
        tool.shows("5000 objects")
        tool.press("End")
        tool.shows("5000/5000", "pod/pod-04999")
        tool.press("/", "pod-0123", "Enter")
        tool.shows("pod/pod-01239")
        tool.hides("pod/pod-04999")
        tool.press("Escape", "g", ">", ">", ">")
        tool.shows("STATUS▲")
        tool.shows("Pending")  # which come first, as they come
        sent = server.changes
        until(lambda: server.changes >= sent + 100)
        tool.press("r")
        until(lambda: "STATUS▼" in tool.terminal.text)
        tool.press("q")
        tool.shows(f"{ENDED}0")
