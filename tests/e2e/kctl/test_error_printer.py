"""Whatever a verb raises ends as a line or two on stderr and an exit code."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kctl import cli
from kctl.command_line.verbs import Group, Verb
from tests.e2e.command_line import KCTL, environment

VERB = """
from kctl.commands import new_app
from kctl.errors import KctlError
from localplane.apiserver.storage.errors import NoSpace

app = new_app()

@app.command()
{body}
"""


def run_verb(body: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a verb that exists only for this test."""
    name = f"verb_{directory.name.replace('-', '_')}"
    (directory / f"{name}.py").write_text(VERB.format(body=body))
    monkeypatch.syspath_prepend(directory)
    monkeypatch.setattr(cli, "GROUPS", (Group("Test", (Verb("try", name, "Try it"),)),))
    return cli.run(["try"])


@pytest.mark.parametrize(
    ("raised", "code", "stderr"),
    [
        ("KctlError('no such thing')", 1, "error: no such thing\n"),
        ("KctlError('they differ', exit_code=3)", 3, "error: they differ\n"),
        ("KctlError('Error from server (Gone): x', verbatim=True)", 1, "Error from server (Gone): x\n"),
        ("NoSpace('the store is full')", 1, "error: the store is full\n"),
        ("PermissionError(13, 'Permission denied', '/a/b')", 1, "error: /a/b: Permission denied\n"),
        ("KeyboardInterrupt", 130, ""),
    ],
)
def test_expected_errors_are_a_line(
    raised: str,
    code: int,
    stderr: str,
    *,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("KCTL_DEBUG", raising=False)
    assert run_verb(f"def it(): raise {raised}", tmp_path, monkeypatch) == code
    assert capsys.readouterr() == ("", stderr)


def test_an_unexpected_error_is_a_line_and_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("KCTL_DEBUG", raising=False)
    assert run_verb("def it(): raise ValueError('odd')", tmp_path, monkeypatch) == 1
    assert capsys.readouterr().err == (
        "error: unexpected ValueError: odd\nThis is a fault in kctl. Set KCTL_DEBUG=1 to see where it happened.\n"
    )


def test_whoever_debugs_gets_the_traceback_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KCTL_DEBUG", "1")
    assert run_verb("def it(): raise ValueError('odd')", tmp_path, monkeypatch) == 1
    stderr = capsys.readouterr().err
    assert stderr.startswith("Traceback (most recent call last):\n")
    assert "in it\n" in stderr


def test_a_verb_may_be_a_coroutine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "async def it():\n    import asyncio\n    await asyncio.sleep(0)\n    print('awaited')"
    assert run_verb(body, tmp_path, monkeypatch) == 0
    assert capsys.readouterr().out == "awaited\n"


def test_a_reader_that_left_is_no_error(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*KCTL, "--help"], env=environment(tmp_path, {}), stdout=writing, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")
