"""An etcd that can't start says why in one sentence, and nothing is deleted."""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
import shutil
import subprocess
import time
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from localplane.apiserver.storage.data_directory import DataDirectory
from localplane.apiserver.storage.errors import NoSpace, Unavailable
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client import EtcdClient
from localplane.apiserver.storage.etcd.program.faults import EtcdFailed, EtcdFault, FaultCause
from localplane.apiserver.storage.etcd.program.health import EtcdHealth, EtcdOptions, State
from localplane.apiserver.storage.etcd.program.parent_death import ParentDeath
from localplane.apiserver.storage.etcd.program.supervisor import EtcdSupervisor
from tests.integration.etcd_process.answering import answers
from tests.integration.etcd_process.kernel import alive
from tests.integration.etcd_process.watched import Watched

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.etcd_process.conftest import Make, Run

DATABASE = Path("member/snap/db")


async def failure(watched: Watched) -> EtcdFault:
    with pytest.raises(EtcdFailed) as raised:
        await watched.etcd.start()
    assert watched.etcd.health.state is State.STOPPED
    assert watched.etcd.pid is None
    assert not watched.etcd.client_socket.parent.exists()
    assert str(raised.value).startswith(raised.value.fault.sentence)
    return raised.value.fault


def files(path: Path) -> list[Path]:
    """etcd itself writes to its database before it meets the damage, so only the names can be compared."""
    return sorted(entry for entry in path.rglob("*") if entry.is_file() and entry.suffix != ".tmp")


async def made(run: Run) -> None:
    async with run():
        pass


def scribble(path: Path, *, at: int, length: int) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(random.Random(7).randbytes(length))


@pytest.mark.parametrize("damage", ["truncated database", "overwritten database", "bits of the log", "emptied log"])
async def test_damaged_data_is_named_and_left_alone(
    run: Run, make: Make, directory: DataDirectory, damage: str
) -> None:
    await made(run)
    database = directory.etcd / DATABASE
    log = next((directory.etcd / "member/wal").glob("*.wal"))
    if damage == "truncated database":
        os.truncate(database, 4096)
    elif damage == "overwritten database":
        scribble(database, at=0, length=16384)
    elif damage == "bits of the log":
        scribble(log, at=100, length=64)
    else:
        os.truncate(log, 0)
    before = files(directory.etcd)
    fault = await failure(make())
    assert fault.cause is FaultCause.DAMAGED
    assert fault.sentence == (
        f"data is damaged: etcd can't read {directory.etcd}. Nothing was deleted: restore that directory from a "
        "backup, or move it away to start empty"
    )
    assert fault.detail
    assert files(directory.etcd) == before


@contextmanager
def locked_away(path: Path) -> Iterator[None]:
    """A file that may not be opened; root, who may open everything, needs a flag of the file system for that."""
    if os.geteuid() != 0:
        path.chmod(0)
        yield
        return
    if not shutil.which("chattr") or subprocess.run(["chattr", "+i", path], check=False).returncode != 0:
        pytest.skip("root may read everything, and this file system knows no immutable files")
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", path], check=True)


async def test_files_that_may_not_be_opened_are_a_question_of_permission(
    run: Run, make: Make, directory: DataDirectory
) -> None:
    await made(run)
    with locked_away(directory.etcd / DATABASE):
        fault = await failure(make())
    assert fault.cause is FaultCause.PERMISSION_DENIED
    assert str(directory.etcd) in fault.sentence


def is_held(database: Path) -> bool:
    """etcd listens before it opens its database."""
    try:
        with database.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@pytest.fixture
def other_etcd(binary: Path, directory: DataDirectory, tmp_path: Path) -> Iterator[None]:
    """An etcd that somebody started by hand on our files."""
    command = [
        str(binary),
        f"--data-dir={directory.etcd}",
        "--listen-client-urls=unix://c:0",
        "--advertise-client-urls=unix://c:0",
        "--listen-peer-urls=unix://p:0",
        "--initial-advertise-peer-urls=unix://p:0",
        "--initial-cluster=default=unix://p:0",
    ]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        while not is_held(directory.etcd / "member" / "snap" / "db"):
            assert process.poll() is None
            time.sleep(0.01)
        yield
    finally:
        process.kill()
        process.wait()


async def test_an_etcd_that_somebody_else_started_is_not_waited_for(other_etcd: None, make: Make) -> None:
    fault = await failure(make())
    assert fault.cause is FaultCause.HELD
    assert "another etcd has the data in" in fault.sentence


@pytest.mark.parametrize(
    ("kind", "why"),
    [("missing", "does not exist"), ("directory", "is not a file"), ("plain file", "is not executable")],
)
async def test_a_wrong_path_of_the_binary_is_told_at_once(make: Make, tmp_path: Path, kind: str, why: str) -> None:
    program = tmp_path / "program"
    if kind == "directory":
        program.mkdir()
    elif kind == "plain file":
        program.touch(0o644)
    fault = await failure(make(binary=program))
    assert fault.cause is FaultCause.UNSUITABLE_BINARY
    assert fault.sentence.startswith(f"etcd binary {program} {why}: run `kctl etcd install`")


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


async def test_a_file_that_is_no_program_is_told(make: Make, tmp_path: Path) -> None:
    program = script(tmp_path / "program", "\x7fELF but not really")
    fault = await failure(make(binary=program, options=EtcdOptions(parent_death=ParentDeath.SIGNAL)))
    assert fault.cause is FaultCause.UNSUITABLE_BINARY
    assert str(program) in fault.sentence


@pytest.mark.parametrize("means", list(ParentDeath))
async def test_a_program_that_is_no_etcd_is_told_by_its_exit(make: Make, tmp_path: Path, means: ParentDeath) -> None:
    program = script(tmp_path / "program", "#!/bin/sh\necho what is this\nexit 3\n")
    fault = await failure(make(binary=program, options=EtcdOptions(parent_death=means)))
    assert fault.cause is FaultCause.EXITED
    assert fault.sentence.startswith("etcd exited with code 3")
    assert fault.detail == "what is this"


async def test_an_etcd_without_our_flags_is_told(make: Make, tmp_path: Path) -> None:
    program = script(tmp_path / "program", "#!/bin/sh\necho 'flag provided but not defined: -x' >&2\nexit 2\n")
    assert (await failure(make(binary=program))).cause is FaultCause.UNSUITABLE_BINARY


async def test_an_etcd_that_never_answers_is_given_up(make: Make, tmp_path: Path) -> None:
    program = script(tmp_path / "program", f"#!/bin/sh\necho $$ > {tmp_path}/pid\nsleep 60\n")
    fault = await failure(make(binary=program, options=EtcdOptions(start_within=timedelta(seconds=3))))
    assert fault.cause is FaultCause.NO_ANSWER
    assert "did not answer within 3 s" in fault.sentence
    assert not alive(int((tmp_path / "pid").read_text()))


async def test_what_etcd_said_is_in_its_log(make: Make, tmp_path: Path, directory: DataDirectory) -> None:
    program = script(tmp_path / "program", "#!/bin/sh\necho first\necho second >&2\nexit 1\n")
    await failure(make(binary=program))
    assert directory.etcd_log.read_text() == "first\nsecond\n"
    assert directory.etcd_log.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=160m,mode=0700", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small disk can't be mounted here (that needs root)")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


async def test_a_full_disk_is_told_and_etcd_comes_back_when_there_is_space(small_disk: Path, binary: Path) -> None:
    filler = small_disk / "data" / "filler"
    with DataDirectory(small_disk / "data", command="a test") as directory:
        etcd = EtcdSupervisor(binary=binary, version="0", data_directory=directory, probe=answers)
        fill(filler, directory)
        with pytest.raises(EtcdFailed) as raised:
            await etcd.start()
        assert raised.value.fault.cause is FaultCause.NO_SPACE
        assert f"the disk that holds {directory.etcd} is full" in str(raised.value)
        filler.unlink()
        async with etcd:
            assert etcd.health.state is State.READY


async def test_a_disk_that_fills_up_under_load_stops_etcd_until_there_is_space_and_loses_nothing(
    small_disk: Path, binary: Path
) -> None:
    filler = small_disk / "data" / "filler"
    said: asyncio.Queue[EtcdHealth] = asyncio.Queue()
    with DataDirectory(small_disk / "data", command="a test") as directory:
        watched = Watched(
            EtcdSupervisor(
                binary=binary,
                version="0",
                data_directory=directory,
                probe=answers,
                on_change=[said.put_nowait],
            ),
            said,
        )
        async with watched.etcd as etcd:
            await watched.until(State.READY)
            backend = EtcdBackend(EtcdClient([f"unix://{etcd.client_socket}"]), exclusive=True)
            fill(filler, directory)
            acknowledged = await put_until_refused(backend)
            assert acknowledged > 0
            down = await watched.until(State.DOWN)
            assert down.fault is not None
            assert down.fault.cause is FaultCause.NO_SPACE
            filler.unlink()
            await watched.until(State.READY)
            assert await backend.count("/big/", "/big0") in {acknowledged, acknowledged + 1}
            await backend.close()


async def put_until_refused(backend: EtcdBackend) -> int:
    """How many values of a megabyte etcd took; the one that it died over may be there or not."""
    for number in range(200):
        try:
            await backend.put(f"/big/{number:03}", b"x" * 1_000_000, expected=0)
        except (Unavailable, NoSpace):
            return number
    raise AssertionError("the disk is not full")


def fill(filler: Path, directory: DataDirectory) -> None:
    """All but four megabytes. etcd takes space for itself at the same moment, so what was free may not be any more."""
    leave = 4 * 1024 * 1024
    with filler.open("wb") as file:
        for _ in range(20):
            try:
                os.posix_fallocate(file.fileno(), 0, directory.free_bytes - leave)
            except OSError:
                continue
            return
    raise AssertionError("etcd took the space that was to be filled, again and again")
