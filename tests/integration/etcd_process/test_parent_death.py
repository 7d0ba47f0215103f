"""etcd never outlives the process that started it, and the next start clears up after a killed one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from localplane.apiserver.storage.data_directory import DataDirectory
from localplane.apiserver.storage.etcd.program.parent_death import Lifeline, ParentDeath
from localplane.apiserver.storage.etcd.program.socket_directory import SocketDirectory
from tests.integration.etcd_process.kernel import gone_within, members_of_group

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
HOLDER = Path(__file__).with_name("holder.py")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where killed servers leave their sockets; its path is short enough for one."""
    with tempfile.TemporaryDirectory() as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        yield Path(short)


@dataclass
class Holder:
    process: subprocess.Popen[str]
    said: Iterator[str]

    def ready(self) -> tuple[int, Path]:
        pid, socket = next(self.said).split()
        return int(pid), Path(socket)


@contextmanager
def holding(data: Path, binary: Path, means: ParentDeath) -> Iterator[Holder]:
    process = subprocess.Popen(
        [sys.executable, str(HOLDER), str(data), str(binary), means],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    try:
        assert next(process.stdout) == "starting\n"
        yield Holder(process, process.stdout)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("means", list(ParentDeath))
def test_a_killed_server_takes_etcd_with_it(tmp_path: Path, binary: Path, means: ParentDeath) -> None:
    with holding(tmp_path / "data", binary, means) as holder:
        pid, _ = holder.ready()
        guards = [member for member in members_of_group(pid) if member != pid]
        assert len(guards) == (1 if means is ParentDeath.PIPE else 0)
        holder.process.kill()
        assert gone_within(pid, 30)
        assert all(gone_within(guard, 30) for guard in guards)


@pytest.mark.parametrize("means", list(ParentDeath))
def test_what_a_killed_server_left_is_cleared_away_by_the_next(
    tmp_path: Path, binary: Path, means: ParentDeath
) -> None:
    with holding(tmp_path / "data", binary, means) as holder:
        _, left_over = holder.ready()
        holder.process.kill()
        holder.process.wait()
    assert left_over.parent.is_dir()
    with holding(tmp_path / "data", binary, means) as holder:
        pid, _ = holder.ready()
        assert not left_over.parent.exists()
        holder.process.terminate()
        holder.process.wait(30)
        assert gone_within(pid, 30)


@pytest.mark.parametrize("means", list(ParentDeath))
@pytest.mark.parametrize("after", [0.0, 0.01, 0.03, 0.06])
def test_a_server_that_is_told_to_end_while_it_starts_leaves_nothing(
    tmp_path: Path, runtime: Path, binary: Path, means: ParentDeath, after: float
) -> None:
    with holding(tmp_path / "data", binary, means) as holder:
        time.sleep(after)  # an instant of the start, not an event of it
        holder.process.terminate()
        holder.process.wait(30)
    assert list(runtime.iterdir()) == []
    assert gone_within_by_argument(str(tmp_path / "data"), 2)


def gone_within_by_argument(argument: str, seconds: float) -> bool:
    """Whether no process is left that names this on its command line."""
    end = time.monotonic() + seconds
    while True:
        commands = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    commands.append((entry / "cmdline").read_bytes())
                except OSError:
                    continue
        if not any(f"--data-dir={argument}".encode() in command for command in commands):
            return True
        if time.monotonic() > end:
            return False
        time.sleep(0.01)


def test_a_child_whose_parent_is_already_gone_does_not_start(tmp_path: Path) -> None:
    """The instant between our death and the request to the kernel: the pid it was told is not its parent's."""
    trace = tmp_path / "trace"
    lifeline = Lifeline(ParentDeath.SIGNAL, ["/usr/bin/touch", str(trace)])
    lifeline.started()
    position = lifeline.argv.index(str(os.getpid()))
    lifeline.argv[position] = "1" if os.getpid() != 1 else "2"
    assert subprocess.run(lifeline.argv, capture_output=True, check=False).returncode == 1
    assert not trace.exists()


def test_a_guard_that_got_no_group_of_its_own_kills_nobody_else() -> None:
    lifeline = Lifeline(ParentDeath.PIPE, ["/bin/sleep", "0.2"])
    process = subprocess.Popen(lifeline.argv, stdin=lifeline.stdin)
    lifeline.started()
    lifeline.cut()
    assert process.wait(30) == 0


def test_a_guard_whose_pipe_is_already_closed_kills_at_once() -> None:
    lifeline = Lifeline(ParentDeath.PIPE, ["/bin/sleep", "60"])
    lifeline.cut()
    process = subprocess.Popen(lifeline.argv, stdin=lifeline.stdin, start_new_session=True)
    lifeline.started()
    assert process.wait(30) == -signal.SIGKILL


def test_only_a_left_over_that_looks_like_ours_is_removed(tmp_path: Path) -> None:
    precious = tmp_path / "localplane-precious"
    precious.mkdir(mode=0o700)
    (precious / "thesis.tex").touch()
    with DataDirectory(tmp_path / "data", command="a test") as directory:
        for foreign in (precious, tmp_path, tmp_path / "missing"):
            directory.write_note("sockets.json", {"path": str(foreign)})
            SocketDirectory(directory).remove()
    assert (precious / "thesis.tex").exists()
