"""A data directory is ours, private, and used by one process at a time."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from localplane.apiserver.storage.data_directory import (
    DataDirectory,
    DataDirectoryInUse,
    DataDirectoryUnusable,
    is_data_directory,
)

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import pathlib, sys, time
from localplane.apiserver.storage.data_directory import DataDirectory
held = DataDirectory(pathlib.Path(sys.argv[1]), command="hold")
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "nested" / "data"


def take(path: Path) -> DataDirectory:
    return DataDirectory(path, command="a test")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def refusal(path: Path) -> str:
    with pytest.raises(DataDirectoryUnusable) as raised:
        take(path)
    assert str(path) in str(raised.value)
    return str(raised.value)


def test_a_new_one_is_made_private_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        with take(path):
            assert mode_of(path) == 0o700
            assert {mode_of(entry) for entry in path.iterdir()} == {0o600}
    finally:
        os.umask(before)


def test_a_looser_one_is_tightened(path: Path) -> None:
    take(path).close()
    path.chmod(0o755)
    take(path).close()
    assert mode_of(path) == 0o700


def test_an_empty_directory_becomes_ours(path: Path) -> None:
    path.mkdir(parents=True)
    assert not is_data_directory(path)
    take(path).close()
    assert is_data_directory(path)


def test_a_directory_with_other_files_is_refused_and_left_as_it_was(path: Path) -> None:
    path.mkdir(parents=True)
    path.chmod(0o755)
    (path / "thesis.tex").touch()
    assert "holds other files (thesis.tex)" in refusal(path)
    assert mode_of(path) == 0o755
    assert [entry.name for entry in path.iterdir()] == ["thesis.tex"]


def test_a_first_start_that_was_interrupted_can_be_repeated(path: Path) -> None:
    path.mkdir(parents=True)
    (path / "lock.json").touch()
    (path / "localplane-data.json.tmp").write_text("{")
    take(path).close()
    assert is_data_directory(path)


def test_a_mode_without_write_permission_is_named(path: Path) -> None:
    take(path).close()
    path.chmod(0o500)
    assert "is not writable (mode 0500): run `chmod 700" in refusal(path)
    path.chmod(0o700)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to somebody else")
def test_somebody_elses_is_refused(path: Path) -> None:
    path.mkdir(parents=True)
    os.chown(path, 12345, 12345)
    assert "belongs to user id 12345, and this process runs as 0" in refusal(path)
    assert list(path.iterdir()) == []


def test_a_file_in_its_place_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    assert "is not a directory" in refusal(path)


def test_a_file_above_it_is_refused_by_its_own_name(path: Path) -> None:
    path.parent.touch()
    assert f"because {path.parent} is not a directory" in refusal(path)


def test_a_loop_of_links_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.symlink_to(path)
    assert "symbolic link that leads nowhere" in refusal(path)
    assert "symbolic link that leads nowhere" in refusal(path / "below")


def test_a_link_to_a_directory_is_followed(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    path.parent.mkdir()
    path.symlink_to(real)
    with take(path) as directory:
        assert directory.path == real


def test_a_format_of_the_future_is_refused(path: Path) -> None:
    take(path).close()
    (path / "localplane-data.json").write_text('{"format": 99}')
    assert "has format 99, and this release knows 1" in refusal(path)


def test_a_second_start_fails_at_once_and_names_the_holder(path: Path) -> None:
    with take(path), pytest.raises(DataDirectoryInUse) as raised:
        take(path)
    started = r"\(started 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\)"
    assert raised.match(rf"^data directory {path} is in use by process {os.getpid()} {started}: stop it")
    assert raised.value.holder == os.getpid()


def test_the_lock_file_tells_who_holds_it(path: Path) -> None:
    with take(path):
        holder = json.loads((path / "lock.json").read_bytes())
    assert holder["pid"] == os.getpid()
    assert holder["command"] == "a test"
    assert (path / "lock.json").read_bytes() == b""


@pytest.mark.parametrize("said", ["", "{", "[1]", '{"pid": "x", "started": 5}'])
def test_a_holder_that_has_not_said_its_name_still_holds(path: Path, said: str) -> None:
    with take(path):
        (path / "lock.json").write_text(said)
        with pytest.raises(DataDirectoryInUse, match="in use by another process: stop it"):
            take(path)


def test_a_stale_lock_file_does_not_block_even_if_its_pid_lives(path: Path) -> None:
    take(path).close()
    (path / "lock.json").write_text(json.dumps({"pid": 1, "started": "2020-01-01T00:00:00Z", "command": "x"}))
    with take(path):
        assert json.loads((path / "lock.json").read_bytes())["pid"] == os.getpid()


def test_a_killed_holder_lets_go(path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(DataDirectoryInUse, match=f"in use by process {holder.pid} "):
            take(path)
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        holder.stdout.close()
    take(path).close()


def test_a_program_that_we_start_does_not_inherit_the_lock(path: Path) -> None:
    directory = take(path)
    child = subprocess.Popen(["/bin/sleep", "60"], close_fds=False)
    try:
        directory.close()
        take(path).close()
    finally:
        child.kill()
        child.wait()


def test_notes_survive_to_the_next_run(path: Path) -> None:
    with take(path) as directory:
        directory.write_note("a.json", {"b": 1})
    with take(path) as directory:
        assert directory.read_note("a.json") == {"b": 1}
        assert directory.read_note("missing.json") is None


def test_free_space_is_a_figure_of_the_disk(path: Path) -> None:
    with take(path) as directory:
        assert 0 < directory.free_bytes < 2**60
