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

from .scores import Scores, of_objects, of_stories

WHOLE_API = (
    "apply",
    "list",
    "namespaces",
    "update",
    "watch",
    "workloads",
)
"""Areas of the API in which nothing may differ."""

_MOST_SECONDS = 1800


def replay_api(recordings: Path, kubeconfig: Path, out: Path, areas: Sequence[str] = ()) -> Scores:
    chosen = [argument for area in areas for argument in ("--area", area)]
    command = [*_python(recordings / "replay"), "--kubeconfig", str(kubeconfig), "--json", str(out / "api.json")]
    _run([*command, *chosen, str(recordings / "cases")], out / "api.txt")
    told = _read(out / "api.json")["scenarios"]
    return of_stories("API conversations", told, whole=[area for area in WHOLE_API if not areas or area in areas])


def replay_cli(
    recordings: Path, kubeconfig: Path, out: Path, *, program: str, tags: Sequence[str], areas: Sequence[str] = ()
) -> Scores:
    """`program` is whose output is compared; `tags` choose what fits the plane."""
    name = f"cli-{'-'.join(tag.strip('-') for tag in tags)}"
    command = [*_python(recordings / "replay"), "--bin", program, "--kubeconfig", str(kubeconfig), *tags]
    chosen = [argument for area in areas for argument in ("--area", area)]
    _run([*command, *chosen, "--json", str(out / f"{name}.json"), str(recordings / "cases")], out / f"{name}.txt")
    return of_stories(f"command lines, {' '.join(tags)}", _read(out / f"{name}.json")["results"], whole=())


def replay_corpus(recordings: Path, kubeconfig: Path, out: Path) -> Scores:
    command = [*_python(recordings / "run"), "--only", "website-examples", "--out", str(out / "corpus")]
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
