"""kctl as a process: what it prints and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
KCTL = (sys.executable, "-m", os.environ.get("KCTL_MODULE", "kctl"))
"""`tests/mutants` puts a kctl of its own in its place, which is told by variables what to do."""
_OF_MUTANTS = ("KCTL_FORGETS", "KCTL_FORGETS_IN", "KCTL_COUNTER", "KCTL_NOTES", "PYTEST_CURRENT_TEST")
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


def kctl(*arguments: str, home: Path, environ: Mapping[str, str]) -> Outcome:
    done = subprocess.run(
        [*KCTL, *arguments],
        cwd=home,
        env=environment(home, environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
