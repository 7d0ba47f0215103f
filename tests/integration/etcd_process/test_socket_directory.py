"""The directory of the sockets stays the one that we made: nobody can put another one in its place."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from localplane.apiserver.storage.data_directory import DataDirectory, DataDirectoryUnusable
from localplane.apiserver.storage.etcd.program.socket_directory import SocketDirectory, client_socket_of


def _open_to_all(path: Path) -> None:
    path.mkdir()
    path.chmod(0o777)


def _a_link(path: Path) -> None:
    path.symlink_to(tempfile.mkdtemp(prefix="elsewhere-"))  # of a name that is free each time: it may be in /tmp


def _a_file(path: Path) -> None:
    path.touch(mode=0o700)


def _somebody_elses(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make something that belongs to somebody else")
    path.mkdir(mode=0o700)
    os.chown(path, 65534, 65534)


@pytest.fixture
def sockets(tmp_path: Path) -> SocketDirectory:
    (tmp_path / "run").mkdir()
    data_directory = DataDirectory(tmp_path / "data", command="a test")
    return SocketDirectory(data_directory, environ={"XDG_RUNTIME_DIR": str(tmp_path / "run")})


def test_one_that_was_lost_is_made_again(sockets: SocketDirectory) -> None:
    sockets.path.rmdir()
    sockets.ensure()
    assert sockets.path.stat().st_mode & 0o777 == 0o700
    sockets.ensure()
    sockets.remove()


@pytest.mark.parametrize("replace", [_open_to_all, _a_link, _a_file, _somebody_elses])
def test_another_in_its_place_is_refused(sockets: SocketDirectory, replace: Callable[[Path], None]) -> None:
    sockets.path.rmdir()
    replace(sockets.path)
    with pytest.raises(DataDirectoryUnusable, match="is not the private directory that it was"):
        sockets.ensure()
    sockets.remove()
    assert sockets.path.exists()


def test_another_process_of_ours_finds_the_socket_by_the_data_directory(
    sockets: SocketDirectory, tmp_path: Path
) -> None:
    assert client_socket_of(tmp_path / "data") == sockets.client_socket
    assert client_socket_of(tmp_path / "run") is None
    sockets.remove()


@pytest.mark.parametrize("replace", [_open_to_all, _a_link, _a_file, _somebody_elses])
def test_a_socket_in_another_directory_in_its_place_is_not_used(
    sockets: SocketDirectory, tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    sockets.path.rmdir()
    replace(sockets.path)
    assert client_socket_of(tmp_path / "data") is None
