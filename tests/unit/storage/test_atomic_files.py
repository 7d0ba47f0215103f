"""A file that must survive a power cut is synced before it gets its name, and its name after that."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from localplane.files import write_atomically


class Disk:
    """Notes in which order the disk is told to keep what. Kills prove nothing here: the page cache survives them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: list[str] = []
        self.fails_with = 0
        self._fsync = os.fsync
        rename = Path.rename

        def noted(path: Path, target: Path) -> Path:
            self.steps.append("rename")
            return rename(path, target)

        monkeypatch.setattr("os.fsync", self.fsync)
        monkeypatch.setattr("pathlib.Path.rename", noted)

    def fsync(self, descriptor: int) -> None:
        held = os.fstat(descriptor)
        directory = stat.S_ISDIR(held.st_mode)
        self.steps.append("sync directory" if directory else f"sync {held.st_size} bytes")
        if directory and self.fails_with:
            raise OSError(self.fails_with, os.strerror(self.fails_with))
        self._fsync(descriptor)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def test_content_is_synced_then_named_then_the_name_is_synced(tmp_path: Path, disk: Disk) -> None:
    write_atomically(tmp_path / "key", b"secret")
    assert disk.steps == ["sync 6 bytes", "rename", "sync directory"]
    assert (tmp_path / "key").read_bytes() == b"secret"


def test_the_file_is_its_owners_alone_whatever_was_there(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"old")
    (tmp_path / "key").chmod(0o644)
    write_atomically(tmp_path / "key", b"new")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


def test_a_write_that_fails_leaves_the_old_content_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_atomically(tmp_path / "key", b"old")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(tmp_path / "key", b"new")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("key", b"old")]


def test_a_file_system_that_syncs_no_directories_is_put_up_with(tmp_path: Path, disk: Disk) -> None:
    disk.fails_with = errno.EINVAL
    write_atomically(tmp_path / "key", b"content")
    assert (tmp_path / "key").read_bytes() == b"content"


def test_a_directory_that_could_not_be_synced_is_told(tmp_path: Path, disk: Disk) -> None:
    disk.fails_with = errno.EIO
    with pytest.raises(OSError, match="Input/output error"):
        write_atomically(tmp_path / "key", b"content")
