"""Who runs a plane is never guessed: the lock says whether, the record says who, and a pid alone says nothing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from localplane.cli import run_file
from localplane.cli.down import stop, sweep
from localplane.cli.errors import AlreadyUp, PlaneError
from localplane.cli.places import known_names, places, state_directory
from localplane.cli.processes import birth, is_alive, resident_bytes, signal_if_same
from localplane.cli.run_file import READY, Claim, RunRecord, is_up, read, record_of_this_process, running, running_names


def entries(state: Path) -> list[str]:
    return sorted(entry.name for entry in (state / ".planes").iterdir())


def test_a_plane_that_keeps_nothing_takes_its_directory_with_it(state: Path) -> None:
    with Claim.take("default") as claim:
        claim.write(record())
        claim.places.log.write_text("what it said")
        claim.vanish()
        assert entries(state) == []
    with Claim.take("default") as claim:
        (claim.places.directory / "of somebody else").touch()
        claim.vanish()
    assert [path.name for path in claim.places.directory.iterdir()] == ["of somebody else"]


def test_who_waited_for_a_lock_that_went_away_begins_with_a_new_one(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Claim.take("default")
    waited = 0

    def locked(descriptor: int) -> bool:
        nonlocal waited
        waited += 1
        if waited == 1:
            first.vanish()
            first.release()
        return was_locked(descriptor)

    was_locked = run_file._locked
    monkeypatch.setattr(run_file, "_locked", locked)
    with Claim.take("default") as second:
        assert waited == 2
        assert is_up(second.places)
        with pytest.raises(AlreadyUp):
            Claim.take("default")


def test_what_killed_planes_left_that_keep_nothing_is_swept_and_nothing_else(state: Path) -> None:
    for name, ephemeral in (("run-1", True), ("run-2", True), ("test", True), ("kept", False)):
        with Claim.take(name) as claim:
            claim.write(replace(record(name), ephemeral=ephemeral))
            claim.places.log.write_text("what it said")
    with Claim.take("run-2"):
        sweep()
        assert entries(state) == ["kept", "run-2"]
    assert read(places("kept")) is not None


def test_whoever_starts_while_somebody_cleans_up_is_not_told_that_it_is_up(state: Path) -> None:
    assert state
    with Claim.take("default") as claim:
        claim.write(replace(record(), pid=2**22 + 1))
        cleaner = threading.Timer(0.05, claim.release)
        cleaner.start()
        Claim.take("default").release()
        cleaner.join()


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """Somebody else's process."""
    process = subprocess.Popen(["/bin/sleep", "60"])
    yield process
    process.kill()
    process.wait()


def record(name: str = "default") -> RunRecord:
    return replace(record_of_this_process(name), phase=READY, started="", url="https://127.0.0.1:6443")


def test_a_name_is_held_by_one(state: Path) -> None:
    with Claim.take("default") as claim:
        claim.write(record())
        with pytest.raises(AlreadyUp) as caught:
            Claim.take("default")
        assert str(caught.value) == (
            f'plane "default" is already up at https://127.0.0.1:6443 (process {os.getpid()}): '
            "stop it with `kctl down`, or start another one with --name"
        )
        with Claim.take("other"):
            assert running_names() == ["default"]
    assert running("default") is None
    Claim.take("default").release()


def test_what_it_wrote_is_read_and_its_owners_alone(state: Path) -> None:
    with Claim.take("default") as claim:
        claim.write(record())
        assert running("default") == record()
        assert stat.S_IMODE(claim.places.run_file.stat().st_mode) == 0o600
        assert stat.S_IMODE(claim.places.directory.stat().st_mode) == 0o700
        claim.forget()
    assert read(places("default")) is None


def test_a_file_without_a_lock_is_what_a_killed_plane_left(state: Path) -> None:
    with Claim.take("default") as claim:
        claim.write(record())
    assert running("default") is None
    with Claim.take("default") as claim:
        assert claim.left_behind == record()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 2}', '{"format": 1, "pid": 1}'])
def test_a_file_that_can_not_be_read_is_none(content: str, state: Path) -> None:
    with Claim.take("default") as claim:
        claim.places.run_file.write_text(content)
        assert running("default") is None


def test_a_pid_that_belongs_to_somebody_else_now_is_never_signalled(
    state: Path, bystander: subprocess.Popen[bytes]
) -> None:
    with Claim.take("default") as claim:
        claim.write(replace(record(), pid=bystander.pid))
        assert running("default") is None
    assert stop("default", timeout=timedelta(seconds=1)) is None
    assert bystander.poll() is None


def test_only_the_process_that_was_meant_is_signalled(bystander: subprocess.Popen[bytes]) -> None:
    born = birth(bystander.pid)
    assert born is not None
    assert not signal_if_same(bystander.pid, f"{born}0", signal.SIGKILL)
    assert bystander.poll() is None
    assert signal_if_same(bystander.pid, born, signal.SIGKILL)
    assert bystander.wait(30) == -signal.SIGKILL
    assert not is_alive(bystander.pid, born)
    assert not signal_if_same(bystander.pid, born, signal.SIGKILL)


def test_memory_is_told_of_who_lives() -> None:
    assert (resident_bytes(os.getpid()) or 0) > 1_000_000
    assert resident_bytes(2**22 + 1) is None


@pytest.mark.parametrize("name", ["", ".planes", "../x", "A", "a/b", "-a", "a-", "a" * 64, "ä"])
def test_what_can_not_be_a_directory_and_a_context_is_no_name(name: str) -> None:
    with pytest.raises(PlaneError, match="can't be the name of a plane"):
        places(name)


def test_a_relative_state_home_counts_as_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", "here")
    assert state_directory() == tmp_path / ".local" / "state" / "kctl"


def test_a_state_directory_that_can_not_be_made_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(PlaneError, match=r"/file.*set XDG_STATE_HOME to another place"):
        Claim.take("default")


def test_only_planes_are_listed(state: Path) -> None:
    assert list(known_names()) == []
    for name in ("b", "a"):
        Claim.take(name).release()
    (state / ".planes" / ".DS_Store").touch()
    assert list(known_names()) == ["a", "b"]
