"""A command that a plane is started for: where it finds the plane, what it hears, and how it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from localplane.cli.command import CommandRun, command_environment
from localplane.cli.errors import CommandNotFound, OptionsContradict
from localplane.cli.options import UpOptions
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions

DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); open({path!r}, 'w').close(); time.sleep(60)"


async def ended(run: CommandRun) -> int | None:
    over = asyncio.Event()
    run.start("nowhere", ended=over.set)
    await asyncio.wait_for(over.wait(), 30)
    return run.exit_code


def test_no_other_cluster_can_be_found_in_its_environment() -> None:
    pod = {"HOME": "/root", "KUBECONFIG": "/root/mine", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    assert command_environment({**pod, "KUBERNETES_SERVICE_PORT": "443"}, "/tmp/plane") == {
        "HOME": "/root",
        "KUBECONFIG": "/tmp/plane",
    }


async def test_its_exit_code_is_a_shell_s() -> None:
    assert await ended(CommandRun([sys.executable, "-c", "raise SystemExit(7)"])) == 7
    kills_itself = "import os; os.kill(os.getpid(), 9)"
    assert await ended(CommandRun([sys.executable, "-c", kills_itself])) == 128 + 9


async def test_it_is_started_once_although_a_plane_may_be_ready_twice(tmp_path: Path) -> None:
    run = CommandRun(["/bin/sh", "-c", f"echo again >> {tmp_path}/runs"])
    await ended(run)
    run.start("nowhere", ended=lambda: None)
    assert (tmp_path / "runs").read_text() == "again\n"


async def test_it_has_the_umask_of_whoever_called(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        run = CommandRun(["/bin/sh", "-c", f"echo > {tmp_path}/file"])
        os.umask(0o077)
        await ended(run)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


async def test_without_its_plane_it_is_asked_to_stop_and_then_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("localplane.cli.command._GRACE", timedelta(milliseconds=50))
    os.mkfifo(tmp_path / "began")
    script = DEAF.format(path=str(tmp_path / "began"))
    run = CommandRun([sys.executable, "-c", script])
    run.start("nowhere", ended=lambda: None)
    await asyncio.to_thread((tmp_path / "began").read_bytes)
    await asyncio.wait_for(run.end(), 30)
    assert run.exit_code == 128 + 9


async def test_who_has_ended_hears_nothing() -> None:
    run = CommandRun(["/bin/sh", "-c", "exit 0"])
    assert not run.pass_on(signal.SIGTERM)
    await ended(run)
    assert not run.pass_on(signal.SIGTERM)
    await run.end()
    assert run.exit_code == 0


def test_what_is_no_program_is_known_before_a_plane_is_started(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    with pytest.raises(CommandNotFound, match=r"^nothing-of-this-name: there is no such program") as unknown:
        CommandRun(["nothing-of-this-name"])
    assert unknown.value.exit_code == 127
    with pytest.raises(CommandNotFound, match=r"text can't be run: it is no program$") as unusable:
        CommandRun([str(tmp_path / "text")])
    assert unusable.value.exit_code == 126


def test_its_plane_is_one_of_its_own_that_keeps_nothing() -> None:
    checked = UpOptions(command=("true",)).checked()
    assert checked.name.startswith("run-")
    assert checked.name != UpOptions(command=("true",)).checked().name
    assert (checked.port, checked.ephemeral, checked.merge_context) == (0, True, False)
    assert checked.storage.kind is StorageKind.MEMORY


def test_what_was_said_about_its_plane_counts(tmp_path: Path) -> None:
    storage = StorageOptions(data_dir=tmp_path)
    kept = UpOptions(name="mine", port=7000, command=("true",), cluster=ClusterOptions(storage=storage)).checked()
    assert (kept.name, kept.port, kept.ephemeral) == ("mine", 7000, False)
    assert (kept.storage.kind, kept.storage.data_dir) == (None, tmp_path)
    sqlite = ClusterOptions(storage=StorageOptions(kind=StorageKind.SQLITE))
    assert UpOptions(command=("true",), cluster=sqlite).checked().storage.kind is StorageKind.SQLITE


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            UpOptions(command=("true",), detach=True),
            "--detach and a command contradict one another: the plane ends when the command does",
        ),
        (
            UpOptions(command=("true",), kubeconfig=Path("config")),
            "--kubeconfig and a command contradict one another: the command gets a kubeconfig of its own",
        ),
        (
            UpOptions(log_file=Path("log")),
            "--log-file is for a command (kctl up --log-file FILE -- CMD): see `kctl status --logs`",
        ),
    ],
)
def test_what_contradicts_a_command_is_said(options: UpOptions, sentence: str) -> None:
    with pytest.raises(OptionsContradict) as refusal:
        options.checked()
    assert str(refusal.value) == sentence
