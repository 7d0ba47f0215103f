"""`kctl envtest`: the folder that suites take kube-apiserver, etcd and kubectl from."""

from __future__ import annotations

import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome, environment, kctl

ETCD = '#!/bin/sh\necho "etcd Version: 3.5.33"\n'
PROGRAMS = ["etcd", "kube-apiserver", "kubectl"]


@pytest.fixture
def etcd(tmp_path: Path) -> Path:
    """A program that says of itself what etcd says."""
    path = tmp_path / "etcd-of-mine"
    path.write_text(ETCD)
    path.chmod(0o755)
    return path


def run(home: Path, *arguments: str) -> Outcome:
    return kctl("envtest", *arguments, home=home, environ={})


def ask(home: Path, program: Path, *arguments: str) -> Outcome:
    done = subprocess.run(
        [program, *arguments], env=environment(home, {}), capture_output=True, text=True, check=False, timeout=60
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def test_it_prints_the_folder_and_nothing_else(tmp_path: Path, etcd: Path) -> None:
    first = run(tmp_path, "--etcd", str(etcd))
    assert (first.code, first.stderr) == (0, "")
    folder = Path(first.stdout.removesuffix("\n"))
    assert folder.parent == tmp_path / "cache" / "kctl" / "envtest"
    assert sorted(path.name for path in folder.iterdir()) == PROGRAMS
    assert (folder / "etcd").resolve() == etcd
    before = {path.name: path.lstat().st_mtime_ns for path in folder.iterdir()}
    assert run(tmp_path, "--etcd", str(etcd)) == first
    assert {path.name: path.lstat().st_mtime_ns for path in folder.iterdir()} == before


def test_what_somebody_has_spoiled_is_put_right(tmp_path: Path) -> None:
    folder = Path(run(tmp_path, "--embedded").stdout.strip())
    (folder / "kube-apiserver").write_text("#!/bin/false\n")
    (folder / "etcd").unlink()
    assert Path(run(tmp_path, "--embedded").stdout.strip()) == folder
    assert sorted(path.name for path in folder.iterdir()) == PROGRAMS
    assert ask(tmp_path, folder / "kube-apiserver", "--version").code == 0
    assert ask(tmp_path, folder / "etcd", "--version").stdout.startswith("etcd Version: 0.0.0-embedded\n")


def test_several_at_once_prepare_one_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = set(pool.map(lambda _: run(tmp_path, "--embedded"), range(4)))
    assert len(outcomes) == 1
    assert sorted(path.name for path in Path(outcomes.pop().stdout.strip()).iterdir()) == PROGRAMS


def test_each_choice_has_a_folder_of_its_own(tmp_path: Path, etcd: Path) -> None:
    choices = [("--etcd", str(etcd)), ("--embedded",), ("--embedded", "--storage", "memory")]
    folders = {run(tmp_path, *choice).stdout for choice in choices}
    assert len(folders) == len(choices)
    assert run(tmp_path, "--embedded", "--storage", "sqlite").stdout in folders


def test_the_variables_are_for_a_shell(tmp_path: Path) -> None:
    folder = run(tmp_path, "--embedded").stdout.strip()
    assert run(tmp_path, "--embedded", "--env") == Outcome(
        0,
        f"export KUBEBUILDER_ASSETS={shlex.quote(folder)}\n"
        f"export TEST_ASSET_KUBE_APISERVER={folder}/kube-apiserver\n"
        f"export TEST_ASSET_ETCD={folder}/etcd\n"
        f"export TEST_ASSET_KUBECTL={folder}/kubectl\n",
        "",
    )


def test_without_an_etcd_it_says_what_to_do(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith("error: no etcd on PATH or in ")
    assert done.stderr.endswith("; or use `kctl envtest --embedded`, which needs none\n")
    assert not (tmp_path / "cache" / "kctl" / "envtest").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--storage", "memory"], "--storage is for --embedded: otherwise objects are kept in etcd"),
        (["--embedded", "--storage", "tape"], 'there is no --storage "tape": it is one of sqlite, memory'),
        (["--embedded", "--etcd", "x"], "--etcd and --embedded contradict one another"),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    assert run(tmp_path, *arguments) == Outcome(1, "", f"error: {sentence}\n")


def test_kubectl_is_kctl(tmp_path: Path) -> None:
    folder = Path(run(tmp_path, "--embedded").stdout.strip())
    done = ask(tmp_path, folder / "kubectl", "version", "--client")
    assert done.code == 0
    assert done.stdout.startswith("Client Version: v")
