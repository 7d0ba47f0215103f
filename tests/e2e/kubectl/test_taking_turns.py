"""kubectl and kctl taking turns on one object: it ends up as if kubectl alone had been at work, whoever began."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from pathlib import Path
from typing import TypeAlias

from tests.e2e.command_line import Outcome, environment, run
from tests.e2e.examples.kubectl import Kubectl
from tests.e2e.up.machine import Machine

Program: TypeAlias = Callable[..., Outcome]
Step: TypeAlias = tuple[str, int, list[str], list[tuple[str, str, str, str]]]

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {{app: web, team: {team}}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
      - {{name: web, image: "{image}", env: [{{name: A, value: "{team}"}}]}}
"""
FILES = {
    "first.yaml": MANIFEST.format(team="blue", replicas=1, image="web:1"),
    "second.yaml": MANIFEST.format(team="green", replicas=1, image="web:2"),
    "third.yaml": MANIFEST.format(team="red", replicas=2, image="web:3"),
}
STEPS = (
    "apply -f first.yaml",
    "apply -f second.yaml",
    "scale deployment/web --replicas=4",
    "label deployment/web tier=front",
    "set image deployment/web web=web:4",
    "edit deployment/web",
    'patch deployment/web -p {"spec":{"paused":true}}',
    "apply --server-side -f second.yaml",
    "apply --server-side -f third.yaml --force-conflicts",
    "apply --server-side -f second.yaml",
    "label deployment/web team=grey --overwrite",
    "apply --server-side -f first.yaml",
    "replace -f second.yaml",
    "apply -f first.yaml",
)


def test_nobody_can_tell_which_of_them_it_was(kubectl: Kubectl, plane: Machine, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    kctl = _kctl(plane, tmp_path, kubectl.namespace)
    alone = _story(cycle([kubectl]), tmp_path, kctl)
    assert any(owners and conflicts for _, _, conflicts, owners in alone), "some steps conflict with others"
    assert _story(cycle([kubectl, kctl]), tmp_path, kctl) == alone
    assert _story(cycle([kctl, kubectl]), tmp_path, kctl) == alone


def _story(programs: Iterable[Program], directory: Path, reader: Program) -> list[Step]:
    """What each step came to: whether it was done, what it conflicts with, and who owns what afterwards."""
    editor = f"{shutil.which('sed')} -i s/tier:.front/tier:\\ back/"
    told: list[Step] = []
    for program, step in zip(programs, STEPS, strict=False):
        words = [str(directory / word) if word in FILES else word for word in step.split()]
        done = program(*words, KUBE_EDITOR=editor)
        conflicts = sorted(line for line in done.stderr.splitlines() if "conflict" in line)
        told.append((step, done.code, conflicts, _owners(reader)))
    reader("delete", "deployment", "web")
    return told


def _owners(reader: Program) -> list[tuple[str, str, str, str]]:
    live = json.loads(reader("get", "deployment", "web", "-o", "json", "--show-managed-fields").stdout)
    return sorted(
        (one["manager"], one["operation"], one.get("subresource", ""), json.dumps(one["fieldsV1"], sort_keys=True))
        for one in live["metadata"]["managedFields"]
    )


def _kctl(plane: Machine, directory: Path, namespace: str) -> Program:
    def call(*arguments: str, **environ: str) -> Outcome:
        words: Sequence[str] = ("-n", namespace, *arguments)
        more = {**plane.environ, "TMPDIR": str(directory), **environ}
        done = run(words, cwd=directory, env=environment(plane.home, more))
        return Outcome(done.returncode, done.stdout, done.stderr)

    return call
