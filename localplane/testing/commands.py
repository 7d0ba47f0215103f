"""Command lines against a cluster: kctl, which is here anyway, and the kubectl that is on PATH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_TIMEOUT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Completed:
    """What a command line did."""

    arguments: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """What it printed, with `-o json`."""
        return json.loads(self.stdout)


class Failed(AssertionError):
    """It ended with another exit code than was wanted. The text has all that it printed."""

    def __init__(self, completed: Completed) -> None:
        super().__init__(
            f"{' '.join(completed.arguments)} ended with exit code {completed.exit_code}\n"
            f"{completed.stdout}{completed.stderr}"
        )
        self.completed = completed


class Command:
    """`kctl("get", "pods")`: runs it with the cluster's kubeconfig, and raises Failed unless `check` is false."""

    def __init__(self, program: Sequence[str], env: Mapping[str, str]) -> None:
        self._program = tuple(program)
        self._env = dict(env)

    def __call__(
        self, *arguments: str, check: bool = True, stdin: str | None = None, timeout: float = _TIMEOUT_SECONDS
    ) -> Completed:
        line = (*self._program, *arguments)
        result = subprocess.run(
            line,
            env={**os.environ, **self._env},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        completed = Completed(tuple(arguments), result.returncode, result.stdout, result.stderr)
        if check and result.returncode:
            raise Failed(completed)
        return completed


def kctl_command(env: Mapping[str, str]) -> Command:
    return Command((sys.executable, "-m", "kctl"), env)


def kubectl_command(env: Mapping[str, str]) -> Command:
    """Raises FileNotFoundError where there is none."""
    program = shutil.which("kubectl")
    if program is None:
        raise FileNotFoundError("there is no kubectl on PATH: install one, or use kctl, which takes the same arguments")
    return Command((program,), env)
