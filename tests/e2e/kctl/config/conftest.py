"""Kubeconfig files to show and to change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl

FILE = """\
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: YWJj
    server: https://one.example.com
  name: cl1
- cluster:
    insecure-skip-tls-verify: true
    proxy-url: http://proxy:3128
    server: https://two.example.com:6443
    tls-server-name: foo
  name: cl2
contexts:
- context:
    cluster: cl1
    user: u1
  name: c1
- context:
    cluster: cl2
    namespace: blue
    user: u2
  name: c2
current-context: c1
kind: Config
users:
- name: u1
  user:
    token: t0
- name: u2
  user:
    password: secret
    username: bob
"""


class Config:
    """`run` is `kctl config` on a file of this test's."""

    def __init__(self, file: Path, run: Kctl) -> None:
        self.file = file
        self._run = run

    def run(self, *arguments: str) -> Outcome:
        return self._run("config", *arguments, "--kubeconfig", str(self.file))

    def changed(self, *arguments: str, said: str = "") -> str:
        """What is different in the file afterwards, as lines that went (-) and came (+)."""
        before = self.file.read_text()
        done = self.run(*arguments)
        assert (done.code, done.stderr) == (0, "")
        assert not said or done.stdout == said
        return difference(before, self.file.read_text())

    def refused(self, *arguments: str) -> str:
        """What is said, if nothing is printed and nothing is written."""
        before = self.file.read_text()
        done = self.run(*arguments)
        assert (done.code, done.stdout) == (1, "")
        assert self.file.read_text() == before
        return done.stderr


def difference(before: str, after: str) -> str:
    import difflib

    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in list(lines)[2:] if not line.startswith("@@"))


@pytest.fixture
def config(tmp_path: Path, run_kctl: Kctl) -> Config:
    file = tmp_path / "k"
    file.write_text(FILE)
    return Config(file, run_kctl)
