"""What may come next on a command line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kctl.completion.candidates import candidates
from kctl.completion.scripts import FILES, SCRIPTS
from kctl.flags import parse
from kctl.global_flags import GLOBAL_FLAGS
from kctl.session import Session
from localplane.client.driving import drive

ROOT = Path(__file__).parents[4]


def offered(tmp_path: Path, *words: str) -> tuple[list[str], bool]:
    """Without descriptions. Nobody listens at that server."""
    given = parse(["--server", "http://127.0.0.1:1", "--cache-dir", str(tmp_path)], GLOBAL_FLAGS)
    found = drive(lambda: candidates(Session(given, command="kctl"), words))
    return [word.partition("\t")[0] for word in found.words], found.files


OFFERED = [
    (["desc"], ["describe"]),
    (["rollout", "re"], ["restart", "resume"]),
    (["create", "secret", "t"], ["tls"]),
    (["rollout", "status", "d"], ["daemonsets", "deployments"]),
    (["get", "--show-k"], ["--show-kind"]),
    (["get", "-o", "js"], ["json", "jsonpath", "jsonpath-as-json", "jsonpath-file"]),
    (
        ["get", "--output=js"],
        ["--output=json", "--output=jsonpath", "--output=jsonpath-as-json", "--output=jsonpath-file"],
    ),
    (["-n", "x", "cordon", "--dry-run=c"], ["--dry-run=client"]),
    (["completion", "f"], ["fish"]),
]


@pytest.mark.parametrize(("words", "found"), OFFERED, ids=[" ".join(words) for words, _ in OFFERED])
def test_what_fits_is_offered(tmp_path: Path, words: list[str], found: list[str]) -> None:
    assert offered(tmp_path, *words)[0] == found


def test_a_file_may_follow_its_flag(tmp_path: Path) -> None:
    assert offered(tmp_path, "apply", "-f", "")[1]


def test_a_server_that_does_not_answer_offers_nothing(tmp_path: Path) -> None:
    assert offered(tmp_path, "get", "po") == ([], False)


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_scripts_that_are_shipped_are_current(shell: str) -> None:
    assert (ROOT / "completions" / FILES[shell]).read_text() == SCRIPTS[shell]


def test_bash_can_read_its_script() -> None:
    subprocess.run(["bash", "-n", str(ROOT / "completions" / FILES["bash"])], check=True)
