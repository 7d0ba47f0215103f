"""A namespace of one's own, and files to write it from: for the verbs that change things."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.command_line import Outcome, environment, run
from tests.e2e.up.machine import Machine

_MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)"), "<time>"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uid>"),
    (re.compile(r'(?<=resourceVersion: ")\d+'), "<rv>"),
    (re.compile(r"[^\s\"]*/(LIVE|MERGED)-\d+"), r"<\1>"),
    (re.compile(r"[^\s\"]*kctl-edit-\d+"), "<edited>"),
)


@dataclass(frozen=True, slots=True)
class Desk:
    """`run` is kctl in this directory and namespace; what differs from one time to the next is masked."""

    machine: Machine
    namespace: str
    directory: Path

    def write(self, name: str, text: str) -> str:
        file = self.directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return name

    def config_map(self, file: str, name: str, **data: str) -> str:
        lines = "".join(f"  {key}: '{value}'\n" for key, value in data.items())
        shown = f"data:\n{lines}" if data else ""
        return self.write(file, f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{shown}")

    def editor(self, body: str) -> str:
        """A program that changes the file it is given: `text` becomes what the body makes of it."""
        return self.program(
            "import pathlib\nfile = pathlib.Path(sys.argv[-1])\ntext = file.read_text()\n"
            f"{body}\nfile.write_text(text)\n"
        )

    def program(self, body: str) -> str:
        script = self.directory / "program"
        script.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
        script.chmod(0o755)
        return str(script)

    def run(self, *arguments: str, stdin: str = "", **environ: str) -> Outcome:
        done = run(
            ("-n", self.namespace, *arguments),
            cwd=self.directory,
            env=environment(self.machine.home, {**self.machine.environ, "TMPDIR": str(self.directory), **environ}),
            stdin=stdin,
        )
        return Outcome(done.returncode, self._masked(done.stdout), self._masked(done.stderr))

    def uid(self, kind: str, name: str) -> str:
        """As it is, unlike in what `run` shows."""
        arguments = ("-n", self.namespace, "get", kind, name, "-o", "jsonpath={.metadata.uid}")
        return self.machine.kctl(*arguments).stdout

    def _masked(self, text: str) -> str:
        for pattern, mask in _MASKS:
            text = pattern.sub(mask, text)
        return text.replace(self.namespace, "<ns>")
