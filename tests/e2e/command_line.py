"""kctl as a process: what it prints and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.warm_kctl import warm

ROOT = Path(__file__).parents[2]
KCTL = (sys.executable, "-m", os.environ.get("KCTL_MODULE", "kctl"))
"""`tests/mutants` puts a kctl of its own in its place, which is told by variables what to do."""
_OF_MUTANTS = ("KCTL_MODULE", "KCTL_FORGETS", "KCTL_FORGETS_IN", "KCTL_COUNTER", "KCTL_NOTES", "PYTEST_CURRENT_TEST")
_OF_PLANES = frozenset(("up", "down", "reset", "status", "env", "etcd", "doctor", "node", "validate"))
_LONG = 50_000
_PASSED_ON = ("COVERAGE_PROCESS_CONFIG", "TMPDIR", *_OF_MUTANTS)


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    stdout: str
    stderr: str


def environment(home: Path, more: Mapping[str, str]) -> dict[str, str]:
    """Nothing of ours: no variables that kctl reads, no cache, and a PATH on which there is no etcd and no apt."""
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PATH": str(home / "bin")}
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**kept, **own, "PYTHONPATH": str(ROOT), **more}


def run(
    arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """One that is warm does it, where it makes no difference."""
    if _as_any_other(arguments, env):
        packages = ["localplane"] if _OF_PLANES.intersection(arguments) else []
        return warm(*packages).run(arguments, cwd=cwd, env=env, stdin=stdin)
    return subprocess.run(
        [*KCTL, *arguments], cwd=cwd, env=env, input=stdin, capture_output=True, text=True, check=False, timeout=60
    )


def _as_any_other(arguments: Sequence[str], env: Mapping[str, str]) -> bool:
    """Not so: what is read when kctl is imported, and whoever looks on."""
    if os.environ.get("KCTL_FRESH") or "COVERAGE_PROCESS_CONFIG" in os.environ:
        return False
    read_at_start = ("KUBECTL_KUBERC", "KCTL_DEBUG", "PYTHON")
    if any(name.startswith(read_at_start) and name != "PYTHONPATH" for name in env):
        return False
    return sum(map(len, arguments)) < _LONG


def kctl(*arguments: str, home: Path, environ: Mapping[str, str]) -> Outcome:
    done = run(arguments, cwd=home, env=environment(home, environ))
    return Outcome(done.returncode, done.stdout, done.stderr)
