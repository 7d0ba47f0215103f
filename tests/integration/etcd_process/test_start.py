"""A started etcd is ready at once, and nobody but us can reach it."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from localplane.apiserver.storage.data_directory import DataDirectory, DataDirectoryInUse
from localplane.apiserver.storage.etcd.program.health import EtcdOptions, State
from localplane.apiserver.storage.etcd.program.parent_death import ParentDeath
from tests.integration.etcd_process.answering import page
from tests.integration.etcd_process.kernel import (
    command_of,
    environment_of,
    listening_unix_names,
    sockets_of,
    tcp_inodes,
)

if TYPE_CHECKING:
    from tests.integration.etcd_process.conftest import Make, Run
    from tests.integration.etcd_process.watched import Watched

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def pid_of(watched_pid: int | None) -> int:
    assert watched_pid is not None
    return watched_pid


@pytest.mark.parametrize("means", [ParentDeath.PIPE, pytest.param(ParentDeath.SIGNAL, marks=on_linux)])
async def test_it_is_ready_when_it_is_entered(make: Make, means: ParentDeath) -> None:
    watched = make(options=EtcdOptions(parent_death=means))
    async with watched.etcd as etcd:
        assert etcd.health.state is State.READY
        assert (await watched.until(State.READY)).restarts == 0
        assert [health.state for health in watched.heard] == [State.STARTING, State.READY]


@on_linux
async def test_it_has_two_sockets_in_our_directory_and_no_other_way_in(run: Run) -> None:
    async with run() as watched:
        pid = pid_of(watched.etcd.pid)
        assert not sockets_of(pid) & tcp_inodes()
        assert listening_unix_names(pid) == {str(watched.etcd.client_socket), "peer.sock:0"}
        assert Path(f"/proc/{pid}/cwd").resolve() == watched.etcd.client_socket.parent


async def test_nobody_else_may_enter_the_socket_directory(run: Run) -> None:
    async with run() as watched:
        sockets = watched.etcd.client_socket.parent
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
        assert sorted(entry.name for entry in sockets.iterdir()) == ["client.sock", "peer.sock:0"]


async def test_the_socket_directory_is_in_the_runtime_directory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        async with run() as watched:
            assert str(watched.etcd.client_socket.parent.parent) == short


async def test_a_runtime_directory_with_a_long_path_is_passed_over(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    async with run() as watched:
        assert deep not in watched.etcd.client_socket.parents


async def test_a_long_path_of_the_data_directory_is_no_obstacle(binary: Path, make: Make, tmp_path: Path) -> None:
    with DataDirectory(tmp_path / ("d" * 150), command="a test") as directory:
        watched = make()
        watched.etcd._directory = directory
        async with watched.etcd:
            assert (directory.etcd / "member").is_dir()


async def test_the_json_gateway_is_off(run: Run) -> None:
    async with run() as watched:
        assert b" 404 " in await page(watched.etcd.client_socket, "/v3/kv/range", method="POST")


@on_linux
async def test_the_users_etcd_variables_and_secrets_do_not_leak_in(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ETCD_DATA_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("NOTIFY_SOCKET", "/run/systemd/notify")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    async with run() as watched:
        names = set(environment_of(pid_of(watched.etcd.pid)))
        assert not {name for name in names if name.startswith(("ETCD_", "NOTIFY", "AWS"))}
    assert not (tmp_path / "elsewhere").exists()


@on_linux
async def test_options_reach_the_command_line(run: Run) -> None:
    async with run(options=EtcdOptions(quota_backend_bytes=123456789, snapshot_count=7000)) as watched:
        command = command_of(pid_of(watched.etcd.pid))
        assert {"--quota-backend-bytes=123456789", "--snapshot-count=7000", "--log-level=warn"} <= set(command)


async def test_a_ctrl_c_in_the_terminal_does_not_reach_it(run: Run) -> None:
    async with run() as watched:
        pid = pid_of(watched.etcd.pid)
        assert os.getsid(pid) == os.getpgid(pid) == pid


async def cluster_id(watched: Watched) -> str:
    answer = await page(watched.etcd.client_socket.with_name("peer.sock:0"), "/members")
    return next(line for line in answer.decode().splitlines() if line.lower().startswith("x-etcd-cluster-id"))


async def test_a_data_directory_keeps_its_cluster_id_and_an_emptied_one_gets_another(
    run: Run, directory: DataDirectory
) -> None:
    found = []
    for _ in range(2):
        async with run() as watched:
            found.append(await cluster_id(watched))
    shutil.rmtree(directory.etcd)
    async with run() as watched:
        found.append(await cluster_id(watched))
    assert found[0] == found[1] != found[2]


async def test_files_are_readable_by_nobody_else(run: Run, directory: DataDirectory) -> None:
    async with run():
        modes = {stat.S_IMODE(entry.stat().st_mode) & 0o077 for entry in directory.path.rglob("*")}
        assert modes == {0}


async def test_a_second_start_on_the_same_directory_names_the_holder(run: Run, directory: DataDirectory) -> None:
    async with run():
        with pytest.raises(DataDirectoryInUse, match=f"in use by process {os.getpid()} "):
            DataDirectory(directory.path, command="another")
