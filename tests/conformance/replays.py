"""Each collection's own program, run against a plane."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.conformance.scores import Scores, of_objects, of_stories
from tests.e2e.command_line import KCTL

WHOLE_API = (
    *(
        "admission",
        "apply",
        "auth",
        "badinput",
        "crd",
        "crud",
        "customresources",
        "delete",
        "discovery",
        "http",
        "list",
        "namespaces",
        "network",
    ),
    *("patch", "pods", "policy", "storage", "subresources", "table", "update", "watch", "workloads"),
)
"""Areas of the API in which nothing may differ but what is excused."""

EXCUSED_API = {
    "badinput/methods-and-headers": "nosniff stands on every answer, see DECISIONS.md",
    "discovery/openapi": "the built-in kinds are described in our own words",
}

EXCUSED_CLI = {
    "explain/builtin": "the built-in kinds are described in our own words",
    "events/basics": "one of its ages is in days, and was recorded on another day",
}
"""All areas of the command line have to be whole for kctl, but for these."""

PROJECTS = ("website-examples", "gateway-api", "prometheus-operator", "sample-controller")

_MOST_SECONDS = 1800


def replay_api(recordings: Path, kubeconfig: Path, out: Path, areas: Sequence[str] = ()) -> Scores:
    chosen = [argument for area in areas for argument in ("--area", area)]
    command = [*_python(recordings / "replay"), "--kubeconfig", str(kubeconfig), "--json", str(out / "api.json")]
    _run([*command, *chosen, str(recordings / "cases")], out / "api.txt")
    told = _read(out / "api.json")["scenarios"]
    whole = [area for area in WHOLE_API if not areas or area in areas]
    return of_stories("API conversations", told, whole=whole, excuses=EXCUSED_API)


def replay_cli(recordings: Path, kubeconfig: Path, out: Path, *, program: str, areas: Sequence[str] = ()) -> Scores:
    """`program` is whose output is compared. What was recorded with controllers is left out: kctl shows that.
    No area has to be whole, because a kubectl of another release words much differently by itself."""
    command = [*_python(recordings / "replay"), "--bin", program, "--kubeconfig", str(kubeconfig)]
    chosen = ["--skip-tag", "controllers-on", *(argument for area in areas for argument in ("--area", area))]
    _run([*command, *chosen, "--json", str(out / "cli.json"), str(recordings / "cases")], out / "cli.txt")
    return of_stories(f"command lines of {program}", _read(out / "cli.json")["results"], whole=())


def replay_kctl(
    recordings: Path, kubeconfig: Path, out: Path, *, areas: Sequence[str] = (), with_controllers: bool = False
) -> Scores:
    """Our own command line: every area has to be whole. Some were recorded on a cluster with controllers."""
    name, title = ("kctl-controllers", "the same, with controllers") if with_controllers else ("kctl", "")
    command = [*_python(recordings / "replay"), "--bin", " ".join(KCTL), "--kubeconfig", str(kubeconfig)]
    tag = ["--only-tag" if with_controllers else "--skip-tag", "controllers-on"]
    chosen = [*tag, *(argument for area in areas for argument in ("--area", area))]
    where = {"PYTHONPATH": str(Path.cwd())}  # each case runs in a directory of its own
    results = out / f"{name}.json"
    _run([*command, *chosen, "--json", str(results), str(recordings / "cases")], out / f"{name}.txt", **where)
    told = _read(results)["results"]
    whole = {story["area"] for story in told}
    return of_stories(title or "command lines of kctl", told, whole=whole, excuses=EXCUSED_CLI)


def replay_corpus(recordings: Path, kubeconfig: Path, out: Path) -> Scores:
    command = [*_python(recordings / "run"), "--only", ",".join(PROJECTS), "--out", str(out / "corpus")]
    text = _run(command, out / "corpus.txt", KUBECONFIG=str(kubeconfig))
    notes = re.findall(r"^agreement, .*$", text, re.MULTILINE)
    return of_objects("manifests that people apply", _read(out / "corpus" / "results.json"), notes=notes)


def _python(program: Path) -> list[str]:
    """With our own interpreter, which has what they import."""
    return [sys.executable, str(program)]


def _run(command: Sequence[str], log: Path, **environ: str) -> str:
    """Its exit code says only that something differed, which its results tell better."""
    with log.open("w", encoding="utf-8") as file:
        subprocess.run(
            command,
            env=os.environ | environ,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=_MOST_SECONDS,
        )
    return log.read_text(encoding="utf-8")


def _read(path: Path) -> Any:
    if not path.exists():
        raise RuntimeError(f"there are no results: see {path.with_suffix('.txt')}")
    return json.loads(path.read_bytes())
