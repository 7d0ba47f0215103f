"""Plugins on the PATH."""

from __future__ import annotations

from pathlib import Path

import pytest

from kctl.command_line import plugins


def test_plugins_are_listed_in_the_order_of_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b/kubectl-two", "a/kctl-one", "a/other", "a/kubectl-dir/x"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.setenv("PATH", f"{tmp_path / 'b'}:{tmp_path / 'a'}:{tmp_path / 'absent'}")
    found, problems = plugins.on_path()
    assert found == [str(tmp_path / "b/kubectl-two"), str(tmp_path / "a/kctl-one")]
    why = f"open {tmp_path}/absent: no such file or directory"
    assert problems == [f'Unable to read directory "{tmp_path}/absent" from your PATH: {why}. Skipping...']


def test_the_longest_name_wins_and_flags_are_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    for name in ("kubectl-foo", "kctl-foo-bar_baz"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.execve", lambda _path, words, _environment: ran.append(words))
    plugins.replace_with_plugin(["foo", "bar-baz", "x", "--flag"])
    assert ran[0] == [str(tmp_path / "kctl-foo-bar_baz"), "x", "--flag"]
