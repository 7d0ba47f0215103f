"""Temporary directories are gone at the end, also when their process was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from localplane.temporary import OWNER, sweep_temporary, temporary_directory

HOLDING = """\
import sys
from localplane.temporary import temporary_directory
with temporary_directory() as path:
    print(path, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_one_is_gone_at_the_end_of_its_block(own_place: Path) -> None:
    with temporary_directory("kctl-") as path:
        assert path.name.startswith("kctl-")
        assert [entry.name for entry in path.iterdir()] == [OWNER]
        sweep_temporary()
        assert path.exists()
    assert list(own_place.iterdir()) == []


def test_that_of_a_killed_process_goes_with_the_next_look(own_place: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLDING], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    path = Path(os.fsdecode(process.stdout.readline().strip()))
    sweep_temporary()
    assert path.exists()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert path.exists()
    with temporary_directory():
        assert not path.exists()
    assert list(own_place.iterdir()) == []


def test_what_has_no_owner_that_is_known_stays(own_place: Path) -> None:
    (own_place / "localplane-older").mkdir()
    (own_place / "localplane-file").touch()
    (own_place / "elsewhere").mkdir()
    (own_place / "elsewhere" / OWNER).touch()
    (own_place / "localplane-link").symlink_to(own_place / "elsewhere")
    sweep_temporary()
    assert len(list(own_place.iterdir())) == 4
    assert (own_place / "elsewhere" / OWNER).exists()
