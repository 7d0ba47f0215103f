"""What can go wrong around `kctl up`, and that it says so: whose data it is, whose directory, whose process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.up.machine import Machine, machine, until

SYSTEM_PYTHON = Path("/usr/bin/python3")  # which others may run, wherever ours is
AS_ROOT = pytest.mark.skipif(
    os.geteuid() != 0 or not SYSTEM_PYTHON.exists(), reason="only root can become somebody else, who needs a Python"
)
NOT_AS_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
NOBODY = 65534


def test_of_two_at_once_one_wins_and_the_other_says_so(here: Machine) -> None:
    with here.foreground() as one, here.foreground() as other:
        until(lambda: one.poll() is not None or other.poll() is not None)
        loser, winner = (one, other) if one.poll() is not None else (other, one)
        _, stderr = loser.communicate()
        assert (loser.returncode, winner.poll()) == (1, None)
        assert stderr.startswith('error: plane "default" is already up')


def test_one_data_directory_is_for_one_plane(here: Machine) -> None:
    here.up("--data-dir", "shared", "--storage", "sqlite")
    pid = here.status()["pids"]["server"]
    done = here.kctl("up", "--name", "two", "--data-dir", "shared", "--storage", "sqlite", "--port", "0")
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: data directory {here.home}/shared is in use by process {pid} (started ")
    assert here.kctl("reset", "--name", "two", "--data-dir", "shared").code == 1
    assert (here.home / "shared" / "sqlite.db").exists()


def test_a_directory_that_is_not_a_planes_is_neither_used_nor_deleted(here: Machine) -> None:
    (here.home / "photos").mkdir()
    (here.home / "photos" / "cat.jpg").touch()
    done = here.kctl("up", "--data-dir", "photos")
    assert "photos holds other files (cat.jpg) and was not made by localplane" in done.stderr
    assert here.kctl("reset", "--data-dir", "photos") == Outcome(0, "default is down and keeps no data.\n", "")
    assert (here.home / "photos" / "cat.jpg").exists()


def test_damaged_data_is_told_and_never_deleted(here: Machine) -> None:
    here.up("--storage", "sqlite")
    here.kctl("down")
    database = here.state / "default" / "sqlite.db"
    for left in database.parent.glob("sqlite.db-*"):
        left.unlink()
    database.write_bytes(b"not a database at all" * 1000)
    for how in ([], ["-d"]):
        done = here.kctl("up", *how, "--port", "0")
        assert (done.code, done.stdout) == (1, "")
        assert str(database) in done.stderr
        assert "fault in kctl" not in done.stderr
    assert database.read_bytes().startswith(b"not a database")


def test_data_that_went_back_in_time_needs_a_word(here: Machine) -> None:
    here.up("--storage", "sqlite")
    here.kctl("down")
    data = here.state / "default"
    shutil.copytree(data, here.home / "old")
    here.up("--storage", "sqlite", "--controllers", "none", "-f", str(_manifest(here)))
    here.kctl("down")
    shutil.rmtree(data)
    shutil.copytree(here.home / "old", data)
    shutil.copy(here.home / "old" / "high-water.json", here.home / "mark")
    _raise_the_mark(data / "high-water.json")
    refused = here.kctl("up", "--storage", "sqlite", "--port", "0")
    assert (refused.code, "--accept-data-loss" in refused.stderr) == (1, True)
    here.up("--storage", "sqlite", "--accept-data-loss")


def _manifest(here: Machine) -> Path:
    path = here.home / "a.yaml"
    path.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    return path


def _raise_the_mark(path: Path) -> None:
    mark = json.loads(path.read_bytes())
    path.write_text(json.dumps({**mark, "revision": mark["revision"] + 1_000_000}))


def test_a_kubeconfig_that_is_none_is_left_and_nothing_stays_up(here: Machine) -> None:
    here.kubeconfig.parent.mkdir()
    here.kubeconfig.write_text("clusters: [")
    for how in ([], ["-d"]):
        done = here.kctl("up", *how, "--storage", "memory", "--port", "0")
        assert (done.code, done.stdout) == (1, "")
        assert done.stderr.startswith("error: its context can't be added: error loading config file ")
        assert str(here.kubeconfig) in done.stderr
    assert here.kubeconfig.read_text() == "clusters: ["
    assert here.status()["state"] == "down"


@AS_ROOT
def test_a_full_disk_is_told_by_its_name_and_no_plane_stays(here: Machine) -> None:
    small = here.home / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", small], check=False)
    if mounted.returncode != 0:
        pytest.skip("no small disk can be mounted here")
    try:
        data = here.kctl("up", "-d", "--port", "0", "--storage", "sqlite", "--data-dir", "small/data")
        (small / "fill").write_bytes(bytes(4096))
        with suppress(OSError), (small / "fill").open("ab", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
        state = here.kctl("up", "-d", "--port", "0", "--storage", "memory", XDG_STATE_HOME=str(small / "state"))
    finally:
        subprocess.run(["umount", "-l", small], check=True)
    for done in (data, state):
        assert (done.code, done.stdout) == (1, "")
        assert "fault in kctl" not in done.stderr
    assert "No space left on device" in state.stderr
    assert here.status()["state"] == "down"


@NOT_AS_ROOT
def test_directories_that_can_not_be_written_are_named(here: Machine) -> None:
    locked = here.home / "locked"
    locked.mkdir(mode=0o500)
    state = here.kctl("up", XDG_STATE_HOME=str(locked))
    assert (state.code, str(locked) in state.stderr) == (1, True)
    data = here.kctl("up", "--data-dir", str(locked / "data"))
    assert (data.code, "no permission" in data.stderr) == (1, True)
    config = here.kctl("up", "--storage", "memory", "--port", "0", "--kubeconfig", str(locked / "config"))
    assert (config.code, "Permission denied" in config.stderr) == (1, True)


def test_a_state_directory_that_is_a_file_is_named(here: Machine) -> None:
    (here.home / "file").touch()
    for verb in (["up"], ["up", "-d"]):
        done = here.kctl(*verb, XDG_STATE_HOME=str(here.home / "file"))
        assert (done.code, done.stdout) == (1, "")
        assert done.stderr.startswith(f"error: {here.home}/file")


def test_without_a_home_it_says_what_to_set(here: Machine) -> None:
    done = here.kctl("up", "--storage", "memory", "--port", "0", "-d", HOME="/proc/nobody", XDG_STATE_HOME="")
    assert done.code == 1
    assert done.stderr.startswith("error: /proc/nobody")
    assert "set XDG_STATE_HOME" in done.stderr


LOOK = """\
import socket, sys
for path in sys.argv[1:]:
    try:
        if path.endswith('socket'):
            socket.socket(socket.AF_UNIX).connect(path)
        else:
            open(path).read()
    except OSError:
        continue
    print(path)
"""


@AS_ROOT
def test_another_user_reads_nothing() -> None:
    with tempfile.TemporaryDirectory() as directory, machine(Path(directory)) as here:
        here.home.chmod(0o755)
        here.up("--storage", "sqlite")
        status = here.status()
        secrets = [status["kubeconfig"], status["log"], str(here.kubeconfig), f"{status['dataDir']}/sqlite.db"]
        secrets += [f"/proc/{status['pids']['server']}/environ", here.record()["socket"]]
        public = here.home / "public"
        public.touch(0o644)
        done = subprocess.run(
            [SYSTEM_PYTHON, "-I", "-c", LOOK, *secrets, str(public)],
            cwd="/",
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout == f"{public}\n", done.stderr
