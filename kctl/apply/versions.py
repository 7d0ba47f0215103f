"""Two directories, what is there and what would be, and the program that compares them.

Kubernetes: Differ and DiffProgram in kubectl/pkg/cmd/diff.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from kctl.errors import KctlError
from kctl.scratch import new_directory
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml

_PLAIN_ARGUMENT = re.compile(r"[a-zA-Z0-9-=]+").fullmatch


class Versions:
    """Used in `with`: the directories go when it ends."""

    def __init__(self) -> None:
        self._live = new_directory("LIVE-")
        self._merged = new_directory("MERGED-")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._live, ignore_errors=True)
        shutil.rmtree(self._merged, ignore_errors=True)

    def write(
        self, about: JSONObject, namespace: str, name: str, *, live: JSONObject | None, merged: JSONObject | None
    ) -> None:
        """One object in both forms; None where there is none. A file without an object is empty, or is not there."""
        file = f"{str(about.get('apiVersion', '')).replace('/', '.')}.{about.get('kind')}.{namespace}.{name}"
        if "/" in file:
            raise KctlError(f"invalid resource name {go_quote(name)}")
        for directory, obj in ((self._live, live), (self._merged, merged)):
            if obj is not None or (directory is self._live and merged is not None):
                _write(directory / file, b"" if obj is None else to_yaml(obj))

    def compare(self) -> int:
        """Prints the differences: 0 for none, 1 for some. Raises KctlError for a program that failed."""
        sys.stdout.flush()
        program, *arguments = self._command()
        try:
            code = subprocess.run([program, *arguments], check=False).returncode
        except FileNotFoundError:
            if os.environ.get("KUBECTL_EXTERNAL_DIFF"):
                raise _failed(program, "executable file not found in $PATH") from None
            return self._compare_here()
        except OSError:
            raise _failed(program, "executable file not found in $PATH") from None
        if code > 1 or code < 0:
            raise _failed(program, f"exit status {code}")
        return code

    def _command(self) -> list[str]:
        words = [str(self._live), str(self._merged)]
        program = os.environ.get("KUBECTL_EXTERNAL_DIFF", "")
        if not program:
            return ["diff", "-u", "-N", *words]
        name, *arguments = program.split(" ")
        return [name, *words, *(one for one in arguments if _PLAIN_ARGUMENT(one))]

    def _compare_here(self) -> int:
        """For machines without diff."""
        import difflib

        found = 0
        for name in sorted({file.name for directory in (self._live, self._merged) for file in directory.iterdir()}):
            live, merged = self._live / name, self._merged / name
            lines = list(difflib.unified_diff(_lines(live), _lines(merged), str(live), str(merged)))
            if lines:
                found = 1
                sys.stdout.write(f"diff -u -N {live} {merged}\n{''.join(lines)}")
        return found


def _failed(program: str, reason: str) -> KctlError:
    return KctlError(f"failed to run {go_quote(program)}: {reason}", exit_code=2)


def _write(file: Path, data: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(data)


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines(keepends=True) if file.exists() else []
