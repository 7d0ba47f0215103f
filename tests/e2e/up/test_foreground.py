"""`kctl up` in a terminal or a pipe: what it says, and how it ends."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.e2e.command_line import KCTL, environment
from tests.e2e.up.machine import WITHIN, Machine, interrupt, is_gone, until


def test_ctrl_c_stops_it_cleanly(here: Machine) -> None:
    with here.foreground("--storage", "sqlite") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "default is up\n"
        record = here.wait_until_up()
        end = interrupt(process)
    assert (end.code, end.stderr) == (0, "")
    assert end.stdout.endswith(f"default has stopped. The data stays in {here.state / 'default'}.\n")
    assert here.user_config()["contexts"] is None
    assert not Path(record["socket"]).exists()
    assert not (here.state / ".planes" / "default" / "run.json").exists()


@pytest.mark.parametrize("moment", [0.0, 0.15, 0.4])
def test_a_signal_during_the_start_leaves_nothing_half_made(moment: float, here: Machine) -> None:
    with here.foreground("--storage", "sqlite") as process:
        until((here.state / ".planes" / "default" / "run.json").exists)
        time.sleep(moment)
        os.kill(process.pid, signal.SIGTERM)
        process.communicate(timeout=WITHIN)
    # The file is there a moment before signals are heard.
    assert process.returncode in (0, 143, *([-signal.SIGTERM] if moment == 0 else ()))
    assert not here.kubeconfig.exists() or here.user_config()["contexts"] is None
    here.up("--storage", "sqlite")


def test_a_closed_terminal_stops_it_too(here: Machine) -> None:
    with here.foreground() as process:
        here.wait_until_up()
        os.kill(process.pid, signal.SIGHUP)
        process.communicate(timeout=WITHIN)
    assert process.returncode == 0


def test_the_second_signal_does_not_wait(here: Machine) -> None:
    with here.foreground() as process:
        here.wait_until_up()
        os.kill(process.pid, signal.SIGSTOP)
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGTERM)
        os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=WITHIN)
    assert process.returncode in (130, 143)


def test_a_reader_that_leaves_does_not_stop_it(here: Machine) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with here.foreground(stdout=writing, stderr=writing) as process:
        os.close(writing)
        here.wait_until_up()
        assert here.status()["state"] == "up"
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(WITHIN) == 0


def test_a_narrow_terminal_gets_it_in_colour_and_in_one_piece(here: Machine) -> None:
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    environ = environment(here.home, {"COLUMNS": "40", "TERM": "xterm-256color"})
    command = [*KCTL, "up", "--port", "0", "--storage", "sqlite"]
    process = subprocess.Popen(command, env=environ, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    text = ""
    while "stops it." not in text:
        text += os.read(screen, 4096).decode()
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(WITHIN) == 0
    os.close(screen)
    assert "\x1b[1mdefault is up\x1b[0m" in text
    # Not wrapped by us, so that it can be copied; the home is a tilde.
    assert "~/.local/state/kctl/default\r\n" in text


def test_killed_with_its_parent_no_etcd_is_left(here: Machine, etcd: str) -> None:
    with here.foreground("--storage", "etcd", "--etcd", etcd) as process:
        here.wait_until_up()
        child = here.status()["pids"]["etcd"]
        process.kill()
        process.communicate()
    until(lambda: is_gone(child))
    killed = here.kctl("status")
    assert (killed.code, killed.stdout.splitlines()[0]) == (1, "default was killed")
    # Nothing has to be done by hand: the next start finds its data and takes over.
    here.up("--storage", "etcd", "--etcd", etcd)
    assert here.status()["state"] == "up"
    assert here.user_config()["contexts"][0]["context"]["extensions"][0]["extension"] == {"previous-context": ""}


def test_down_cleans_up_after_one_that_was_killed(here: Machine) -> None:
    with here.foreground("--ephemeral") as process:
        record = here.wait_until_up()
        process.kill()
        process.communicate()
    assert Path(record["data_dir"]).is_dir()
    here.kctl("down")
    assert not Path(record["data_dir"]).exists()
    assert here.user_config()["contexts"] is None
    assert here.user_config()["current-context"] == ""


@pytest.mark.parametrize("verb", ["down", "reset"])
def test_who_does_not_answer_is_waited_for_as_long_as_was_said(verb: str, here: Machine) -> None:
    with here.foreground() as process:
        record = here.wait_until_up()
        os.kill(process.pid, signal.SIGSTOP)
        began = time.monotonic()
        done = here.kctl(verb, "--timeout", "200ms")
        assert time.monotonic() - began < WITHIN / 2
        assert (done.code, "within 0.2 seconds" in done.stderr) == (1, True)
        # A stopped process hears nothing, but it can be ended.
        assert here.kctl("down", "--force").stdout == "default has stopped.\n"
        assert is_gone(process.pid)
    assert not Path(record["kubeconfig"]).parent.exists()


def test_localplane_is_the_same_for_process_managers(here: Machine) -> None:
    command = [sys.executable, "-c", "import sys; from localplane.cli import main; sys.exit(main())"]
    environ = environment(here.home, {})
    wrong = subprocess.run([*command, "--storage", "floppy"], env=environ, capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith('error: there is no --storage "floppy"')
    process = subprocess.Popen(
        [*command, "--storage", "memory", "--port", "0"], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    here.wait_until_up()
    assert not here.kubeconfig.exists()
    process.terminate()
    assert process.communicate(timeout=WITHIN) == (b"", b"")
    assert process.returncode == 0
