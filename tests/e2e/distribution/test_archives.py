"""What is handed out: a wheel and a source archive with all that belongs there, which work where nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

import localplane

_ROOT = Path(__file__).parents[3]
_NAME = f"localplane-{localplane.__version__}"
_PACKAGES = ("kctl", "localplane")


def _built(tree: Path, into: Path, *targets: str) -> Path:
    chosen = [word for target in targets for word in ("--target", target)]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", into, *chosen],
        cwd=tree,
        check=True,
        capture_output=True,
    )
    return into


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(_ROOT, tmp_path_factory.mktemp("archives"), "wheel", "sdist")


@pytest.fixture
def wheel(archives: Path) -> Path:
    return archives / f"{_NAME}-py3-none-any.whl"


def _contents(archive: Path) -> dict[str, bytes]:
    with ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def _files_of_the_packages() -> Iterator[str]:
    for package in _PACKAGES:
        for path in (_ROOT / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(_ROOT).as_posix()


def test_the_wheel_holds_the_two_packages_with_their_data_and_nothing_else(wheel: Path) -> None:
    about = {f"{_NAME}.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")}
    licence = {f"{_NAME}.dist-info/licenses/LICENSE"}
    assert set(_contents(wheel)) == {*_files_of_the_packages()} | about | licence


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    contents = _contents(wheel)
    metadata = Parser().parsestr(contents[f"{_NAME}.dist-info/METADATA"].decode())
    assert (metadata["Name"], metadata["Version"]) == ("localplane", localplane.__version__)
    assert (metadata["License-Expression"], metadata["License-File"]) == ("Apache-2.0", "LICENSE")
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Summary"]
    assert metadata["Keywords"]
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    assert metadata.get_payload() == (_ROOT / "README.md").read_text(encoding="utf-8")
    assert contents[f"{_NAME}.dist-info/entry_points.txt"].decode() == (
        "[console_scripts]\nkctl = kctl.cli:main\nlocalplane = localplane.cli:main\n\n"
        "[pytest11]\nlocalplane = localplane.testing.plugin\n"
    )


def test_the_source_archive_builds_the_same_wheel_and_brings_the_tests(
    archives: Path, wheel: Path, tmp_path: Path
) -> None:
    with tarfile.open(archives / f"{_NAME}.tar.gz") as opened:
        opened.extractall(tmp_path, filter="data")
    source = tmp_path / _NAME
    assert {"LICENSE", "Makefile", "README.md", "pyproject.toml", "requirements-dev.lock", "tests"} <= {
        path.name for path in source.iterdir()
    }
    _built(source, tmp_path / "again", "wheel")
    assert _contents(tmp_path / "again" / wheel.name) == _contents(wheel)


@pytest.mark.timeout(900)
def test_an_empty_environment_gets_both_commands_and_a_plane(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment)
    python = environment / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile", wheel], check=True
    )
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))},
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "KUBECONFIG": str(tmp_path / "kubeconfig"),
    }

    def run(program: str, *arguments: str) -> str:
        command = [str(environment / "bin" / program), *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environ, check=True, stdout=subprocess.PIPE, text=True).stdout

    assert run("kctl", "version", "--client").startswith(f"Client Version: v{localplane.__version__}\n")
    run("kctl", "up", "--detach", "--storage", "memory", "--ephemeral", "--port", "0", "--timeout", "5m")
    try:
        assert run("kctl", "get", "namespace", "default", "-o", "name") == "namespace/default\n"
        assert run("localplane", "--help").startswith("Usage: localplane [OPTIONS]\n")
    finally:
        run("kctl", "down")
