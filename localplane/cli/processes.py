"""Processes, told apart from later ones with the same number: a pid alone is never enough to signal somebody."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

_HAS_PROC = Path("/proc/self/stat").exists()


def birth(pid: int) -> str | None:
    """A text that no other process with this number will ever have; None if there is no such process.

    On Linux the tick at which it began, counted from the boot with this id; elsewhere what ps says.
    """
    if _HAS_PROC:
        fields = _stat_fields(pid)
        if fields is None or fields[0] == "Z":
            return None
        return f"{_boot_id()}/{fields[19]}"
    said = _ps("lstart", pid)
    return f"ps/{said}" if said else None


def is_alive(pid: int, born: str) -> bool:
    return birth(pid) == born


def signal_if_same(pid: int, born: str, number: signal.Signals) -> bool:
    """Signal the process that was born then, and nobody else. False if it is gone."""
    if hasattr(os, "pidfd_open"):
        return _signal_through_descriptor(pid, born, number)
    if not is_alive(pid, born):
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    return True


def resident_bytes(pid: int) -> int | None:
    """How much memory it has; None if nobody can tell."""
    if _HAS_PROC:
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
        except (OSError, IndexError, ValueError):
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")
    said = _ps("rss", pid)
    return int(said) * 1024 if said.isdecimal() else None


def _signal_through_descriptor(pid: int, born: str, number: signal.Signals) -> bool:
    """The descriptor stands for one process for ever, so nothing can happen between looking and signalling."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        if not is_alive(pid, born):
            return False
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, number)
    finally:
        os.close(descriptor)
    return True


def _stat_fields(pid: int) -> list[str] | None:
    """What follows the name in /proc/PID/stat: the name may hold spaces and brackets."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except (OSError, ValueError):
        return None
    return text.rpartition(")")[2].split()


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return "boot"


def _ps(field: str, pid: int) -> str:
    done = subprocess.run(["/bin/ps", "-o", f"{field}=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip()
