"""kubectl as a process: whichever are here, each with a home and a discovery cache of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.command_line import ROOT, Outcome

WITHIN = 60
_CHANGING = (
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "<time>"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<uid>"),
    (re.compile(r'("?resourceVersion"?: )"\d+"'), r'\1"<version>"'),
)


def kubectls() -> list[Path]:
    """The one on PATH, else the one in .tools; then those of other versions that were installed beside it."""
    on_path = shutil.which("kubectl", path=f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{ROOT / '.tools'}")
    if on_path is None:
        return []
    beside = Path(on_path).resolve().parent.glob("kubectl.1.*")
    return [Path(on_path), *sorted(path for path in beside if os.access(path, os.X_OK))]


@dataclass(frozen=True, slots=True)
class Kubectl:
    program: Path
    kubeconfig: Path
    home: Path
    namespace: str = "default"
    environ: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, stdin: str = "", **environ: str) -> Outcome:
        """Run it to its end; keywords are variables of its environment."""
        done = subprocess.run(
            self._argv(arguments),
            env=self._environment() | environ,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=WITHIN,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def ok(self, *arguments: str, stdin: str = "", **environ: str) -> str:
        """What it printed, with times, uids and versions made the same in every run. It must succeed and be quiet."""
        outcome = self(*arguments, stdin=stdin, **environ)
        assert (outcome.code, outcome.stderr) == (0, ""), outcome
        return steady(outcome.stdout)

    @contextmanager
    def running(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """For commands that go on; killed at the end if they still do."""
        process = subprocess.Popen(
            self._argv(arguments),
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def _argv(self, arguments: tuple[str, ...]) -> list[str]:
        return [str(self.program), f"--kubeconfig={self.kubeconfig}", f"--namespace={self.namespace}", *arguments]

    def _environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": os.environ.get("PATH", os.defpath)} | self.environ


def steady(text: str) -> str:
    for pattern, instead in _CHANGING:
        text = pattern.sub(instead, text)
    return text
