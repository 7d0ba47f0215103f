"""A reader who does what a guide says: saves its files, types its commands, runs its programs, in one directory.

On PATH are kctl, localplane, kubectl, python and pytest. `go` and `helm` are stand-ins that only look at what they are
given: neither is needed to see whether what we print for them is right.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.command_line import environment
from tests.e2e.examples.kubectl import kubectls
from tests.e2e.guides import kctl_on_path
from tests.e2e.guides.blocks import Block
from tests.e2e.warm_kctl import Warm

_WITHIN = 240
_STAND_INS = {
    "go": 'test -f "$KUBECONFIG" || test -x "$KUBEBUILDER_ASSETS/kube-apiserver"',
    "helm": "cat rendered.yaml",
}
_VARYING = re.compile(r"\d+(\\\.\d+)?(ms|[smhd])\b")
_ANYTHING = re.escape("...")


@dataclass(slots=True)
class Reader:
    home: Path
    directory: Path
    environ: dict[str, str] = field(default_factory=dict)
    said: str = ""
    """All that commands have printed so far."""
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    """What the programs have defined: one goes on from another."""

    def __post_init__(self) -> None:
        programs = self.home / "bin"
        if not programs.exists():
            programs.mkdir(parents=True)
            python = shlex.quote(sys.executable)
            for name in ("kctl", "pytest"):
                _program(programs / name, f"{python} -IS", Path(kctl_on_path.__file__).read_text())
            main = "import sys; from localplane.cli import main; sys.exit(main())"
            _program(programs / "localplane", "/bin/sh", f'exec {python} -c {shlex.quote(main)} "$@"\n')
            _program(programs / "python", "/bin/sh", f'exec {python} "$@"\n')
            for name, script in _STAND_INS.items():
                _program(programs / name, "/bin/sh", f"{script}\n")
            for kubectl in kubectls()[:1]:
                (programs / "kubectl").symlink_to(kubectl)
        self.directory.mkdir(parents=True, exist_ok=True)

    def follow(self, block: Block) -> None:
        """Fails with what was said if it does not work."""
        if block.file and block.runs:
            path = self.directory / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        match block.language:
            case "sh" if block.runs:
                done = self.sh(block.text)
                assert done.returncode == 0, f"line {block.line}:\n{block.text}\n{done.stdout}{done.stderr}"
            case "console" if block.runs:
                self._converse(block)
            case "python" if block.runs and not block.file:
                self._run_python(block)
            case "python":
                compile(block.text, block.file or "block", "exec")
            case "yaml":
                list(yaml.safe_load_all(block.text))
            case "toml":
                tomllib.loads(block.text)
            case "sh" | "console" | "text" | "go" | "ini" | "json":
                pass
            case language:
                raise AssertionError(f"line {block.line}: nobody runs {language!r}")

    def sh(self, script: str) -> subprocess.CompletedProcess[str]:
        """What it leaves in the background is ended with it, unless it is a plane."""
        socket = _warm().fileno()
        own = {"KCTL_WARM": str(socket), "KCTL_PYTHON": sys.executable}
        path = f"{self.home / 'bin'}:{os.defpath}"
        with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as wrong:
            bash = subprocess.Popen(
                ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
                cwd=self.directory,
                env=environment(self.home, {"PATH": path, "LANG": "C.UTF-8", **own, **self.environ}),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=wrong,
                pass_fds=[socket],
                start_new_session=True,
            )
            try:
                code = bash.wait(_WITHIN)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(bash.pid, signal.SIGKILL)
                bash.wait()
            said.seek(0)
            wrong.seek(0)
            done = subprocess.CompletedProcess(script, code, said.read(), wrong.read())
            self.said += done.stdout
            return done

    def _converse(self, block: Block) -> None:
        """`$ command`, and below it what it says; `...` is anything, and so are numbers of seconds."""
        for exchange in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, expected = exchange.partition("\n")
            done = self.sh(command)
            said = done.stdout + done.stderr
            assert re.fullmatch(pattern(expected), _squeezed(said), re.DOTALL), (
                f"line {block.line}: {command}\nexpected:\n{expected}\nsaid:\n{said}"
            )

    def _run_python(self, block: Block) -> None:
        """In this process: another one would take a second to import what is here."""
        said = io.StringIO()
        with contextlib.chdir(self.directory), contextlib.redirect_stdout(said):
            exec(compile(block.text, f"block at line {block.line}", "exec", dont_inherit=True), self.names)


@functools.cache
def _warm() -> Warm:
    """This process' own, for kctl and pytest."""
    process = Warm("tests.e2e.guides.pytest_in_a_fork", packages=("kctl", "localplane"))
    atexit.register(process.close)
    return process


def pattern(expected: str) -> str:
    """Of texts that say the same at another time, in columns of another width."""
    literal = re.escape(_squeezed(expected)).replace(_ANYTHING, ".*")
    return _VARYING.sub(r"[\\d.]+(ms|[smhd])", literal)


def _squeezed(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def _program(path: Path, interpreter: str, text: str) -> None:
    path.write_text(f"#!{interpreter}\n{text}", encoding="utf-8")
    path.chmod(0o755)
