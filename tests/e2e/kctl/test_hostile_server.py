"""A server that wants to drive the terminal of whoever asks it: every text in its answers holds control sequences."""

from __future__ import annotations

import os
import pty
import re
import select
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import environment
from tests.e2e.conftest import Kctl
from tests.e2e.kctl.foreign_server import ForeignServer, serving
from tests.e2e.warm_kctl import warm

_TITLE, _COLOUR, _BACK = "\x1b]0;owned\x07", "\x9b31m", "over\rwritten"
_HOSTILE = f"{_TITLE}{_COLOUR}{_BACK}"
# What a client must be able to read, or there would be nothing to print.
_NEEDED = frozenset((
    "kind", "apiVersion", "resource", "group", "version", "groupVersion", "scope", "verbs", "type", "format",
    "namespace", "subresource", "singularResource", "$ref", "serverRelativeURL", "x-kubernetes-group-version-kind",
    "resourceVersion", "creationTimestamp", "freshness",
))  # fmt: skip
_OBEYED_IN_A_PIPE = re.compile("[\x1b]|\r(?!\n)")
_OBEYED_BY_A_TERMINAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\\[[0-9;]*m)|\r(?!\r*\n)")

_COMMANDS = (
    "get configmaps",
    "get configmaps -o wide --show-labels",
    "get configmaps,deployments -o custom-columns=A:.metadata.name",
    "get configmaps a -o name",
    "get configmaps absent",
    "describe configmaps a",
    "describe deployments web",
    "describe nodes n",
    "events",
    "api-resources",
    "api-resources -o wide",
    "api-versions",
    "version",
    "explain configmaps",
    "explain configmaps --recursive",
    "explain configmaps.data",
    "auth whoami",
    "auth can-i --list",
    "auth can-i get pods",
    "create configmap b",
    "label configmaps a x=y",
    "annotate configmaps a x=y",
    "patch configmaps a -p {}",
    "scale deployments web --replicas=2",
    "rollout status deployments web --timeout=1s",
    "rollout restart deployments web",
    "set image deployments/web c=x",
    "taint nodes n a=b:NoSchedule",
    "cordon n",
    "certificate approve r",
    "delete configmaps a",
    "delete configmaps absent",
    "top pods",
    "cluster-info",
    "tree deployments web",
    "get configmaps -v=9",
)


def _tainted(value: Any, name: str = "") -> Any:
    if name in _NEEDED or (isinstance(value, dict) and _is_group(value)):
        return value
    if isinstance(value, str):
        return f"{value}{_HOSTILE}"
    if isinstance(value, list):
        return [_tainted(one) for one in value]
    if isinstance(value, dict):
        return {key: _tainted(inner, key) for key, inner in value.items()}
    return value


def _is_group(value: dict[str, Any]) -> bool:
    """The name of a group is part of every path."""
    return set(value) <= {"name"}


def _openapi() -> dict[str, Any]:
    data = {"type": "object", "description": "What it holds.", "additionalProperties": {"type": "string"}}
    schema = {
        "type": "object",
        "description": "Settings.",
        "properties": {"data": data},
        "x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "ConfigMap"}],
    }
    get = {"get": {"x-kubernetes-group-version-kind": {"group": "", "version": "v1", "kind": "ConfigMap"}}}
    path = "/api/v1/namespaces/{namespace}/configmaps"
    return {"openapi": "3.0.0", "paths": {path: get}, "components": {"schemas": {"v1.ConfigMap": schema}}}


@pytest.fixture
def hostile() -> Iterator[ForeignServer]:
    with serving() as server:
        server.documents["/openapi/v3"] = {"paths": {"api/v1": {"serverRelativeURL": "/openapi/v3/api/v1"}}}
        server.documents["/openapi/v3/api/v1"] = _openapi()
        server.said = lambda document: document if isinstance(document, str) else _tainted(document)
        yield server


@pytest.mark.parametrize("line", _COMMANDS)
def test_nothing_that_a_server_says_drives_a_terminal_behind_a_pipe(
    line: str, hostile: ForeignServer, run_kctl: Kctl
) -> None:
    done = run_kctl(*line.split(), "-s", hostile.url, "--request-timeout=5s")
    assert done.stdout + done.stderr, "nothing was printed, so nothing was tried"
    assert _OBEYED_IN_A_PIPE.search(done.stdout) is None, repr(done.stdout)
    assert _OBEYED_IN_A_PIPE.search(done.stderr) is None, repr(done.stderr)


@pytest.mark.parametrize("line", [*_COMMANDS, "get configmaps a -o jsonpath={.metadata.name}", "get --raw /version"])
def test_nor_one_that_it_writes_to(line: str, hostile: ForeignServer, tmp_path: Path) -> None:
    """Our own colours are all that may reach it."""
    shown = _on_a_terminal([*line.split(), "-s", hostile.url, "--request-timeout=5s"], tmp_path)
    assert shown
    assert _OBEYED_BY_A_TERMINAL.search(shown) is None, repr(shown)
    assert "\x9b" not in shown


def _on_a_terminal(arguments: list[str], home: Path) -> str:
    ours, theirs = pty.openpty()
    files = (None, theirs, theirs)
    process = warm().start(arguments, cwd=home, env=environment(home, {"TERM": "xterm"}), files=files)
    os.close(theirs)
    with process:
        pieces = []
        while select.select([ours], [], [], 60)[0]:
            try:
                pieces.append(os.read(ours, 65536))
            except OSError:  # how Linux says that nobody has the other end any more
                break
            if not pieces[-1]:
                break
    os.close(ours)
    return b"".join(pieces).decode("utf-8", "replace")


def test_what_a_program_reads_is_what_the_object_holds(hostile: ForeignServer, run_kctl: Kctl) -> None:
    done = run_kctl("get", "configmaps", "a", "-o", "jsonpath={.metadata.name}", "-s", hostile.url)
    assert done.stdout == f"a{_HOSTILE}".replace("\r", "\n")  # as text, which is how it is read here
