"""Which addresses are git repositories, and what is cloned of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.loading.loader import Loader, open_target
from kctl.kustomize.loading.repositories import Repository, parse


@pytest.mark.parametrize(
    ("address", "clone_from", "path", "ref"),
    [
        ("https://github.com/org/repo", "https://github.com/org/repo", "", ""),
        ("github.com/org/repo/deep/path?ref=v1", "https://github.com/org/repo", "deep/path", "v1"),
        ("git@github.com:org/repo.git/path", "git@github.com:org/repo.git", "path", ""),
        ("ssh://git@github.com/org/repo?version=main", "git@github.com:org/repo", "", "main"),
        ("https://example.com/a/b.git//sub?ref=x&version=y", "https://example.com/a/b.git", "sub", "x"),
        ("https://dev.azure.com/o/p/_git/repo/sub/dir", "https://dev.azure.com/o/p/_git/repo", "sub/dir", ""),
        ("file:///srv/repo//base", "file:///srv/repo", "base", ""),
        ("file:///srv/repo", "file:///srv/repo", "", ""),
        ("git::https://example.com/org/repo", "https://example.com/org/repo", "", ""),
    ],
)
def test_an_address_names_a_repository_and_a_directory_in_it(
    address: str, clone_from: str, path: str, ref: str
) -> None:
    found = parse(address)
    assert found is not None
    assert (found.clone_from, found.path, found.ref) == (clone_from, path, ref)


@pytest.mark.parametrize(
    "text",
    ["../base", "/abs/path", "base", "deployment.yaml", "https://example.com/a.yaml", "ftp://example.com/org/repo"],
)
def test_anything_else_is_none(text: str) -> None:
    assert parse(text) is None


def test_a_path_that_leaves_the_repository_is_no_address() -> None:
    assert parse("https://github.com/org/repo/../../x") is None


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str]]]:
    """What git was called with, and in which environment; none of it ran."""
    calls: list[tuple[list[str], dict[str, str]]] = []

    def run(words: list[str], *, env: dict[str, str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        calls.append((words, env))
        return subprocess.CompletedProcess(words, 0, b"")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    return calls


_INJECTED = (
    "file:///any/repository//a?ref=--upload-pack=touch%20/any/file;false",
    "https://example.com/org/repo?ref=--upload-pack=x",
    "https://example.com/org/repo?version=-u",
    "github.com/org/repo?ref=-x",
    "ssh://-oProxyCommand=x/org/repo",
    "ssh://git@-oProxyCommand=x/org/repo",
    "git@-oProxyCommand=x:org/repo",
)


@pytest.mark.parametrize("address", _INJECTED)
def test_nothing_in_an_address_becomes_an_option(address: str, commands: list[Any]) -> None:
    repository = parse(address)
    assert repository is not None
    with pytest.raises(KustomizeError, match="begins with a dash"):
        repository.clone()
    assert commands == []


@pytest.mark.parametrize("address", ["https://example.com/org/repo?ref=v1", "git@github.com:org/repo?submodules=true"])
def test_git_runs_no_hook_asks_nobody_and_speaks_no_other_protocol(address: str, commands: list[Any]) -> None:
    repository = parse(address)
    assert repository is not None
    repository.clone()
    repository.remove()
    assert len(commands) == 4 + ("submodules" in address)
    for words, environment in commands:
        assert words[1:3] == ["-c", f"core.hooksPath={os.devnull}"]
        assert environment["GIT_TERMINAL_PROMPT"] == "0"
        assert environment["GIT_ALLOW_PROTOCOL"] == "https:http:ssh"
        if repository.clone_from in words:
            assert words.index("--end-of-options") < words.index(repository.clone_from)


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    git = shutil.which("git")
    if git is None:
        pytest.skip("there is no git here")
    directory = tmp_path / "origin"
    directory.mkdir()
    (directory / "kustomization.yaml").write_text("resources: []\n")
    for words in (("init", "-q"), ("add", "."), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")):
        subprocess.run([git, *words], cwd=directory, check=True)
    return directory


def test_a_hook_in_a_template_is_not_run(origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = tmp_path / "template" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (hooks / "post-checkout").chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(hooks.parent))
    loader = open_target(f"file://{origin}", restricted=True)
    assert (Path(loader.root) / "kustomization.yaml").exists()
    loader.clean_up()
    assert not (tmp_path / "ran").exists()


def test_what_came_from_elsewhere_names_no_repository_of_this_machine(origin: Path, tmp_path: Path) -> None:
    remote = Repository("https://example.com/org/repo", "https://example.com/org/repo", "", "")
    remote.directory = str(tmp_path)
    cloned = Loader(str(tmp_path), restricted=True, repository=remote)
    with pytest.raises(KustomizeError, match=r"was cloned from 'https://example\.com/org/repo'"):
        cloned.enter(f"file://{origin}")
    own = Loader(str(tmp_path), restricted=True)
    entered = own.enter(f"file://{origin}")
    entered.clean_up()
