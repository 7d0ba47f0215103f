"""What a process has cost so far: processor time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

_ON_LINUX = sys.platform == "linux"
_WHOLE_PROCESS = 2  # CPUCLOCK_SCHED: all threads, in nanoseconds


def cpu_seconds(pid: int | None) -> float:
    """The processor time of another process with all its threads; 0 for None, a store that is no process.

    /proc/PID/stat counts hundredths of a second, which is too coarse here. Linux makes a clock of every process, and
    its number is made of the pid as clock_getcpuclockid(3) does it.
    """
    if pid is None:
        return 0.0
    if _ON_LINUX:
        return time.clock_gettime((~pid << 3) | _WHOLE_PROCESS)
    return clock_reading(_ps("time", pid))


def resident_bytes(pid: int | None = None) -> int:
    """The memory a process holds now; our own for None."""
    pid = os.getpid() if pid is None else pid
    if _ON_LINUX:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    return int(_ps("rss", pid)) * 1024


def clock_reading(text: str) -> float:
    """Seconds, from what ps shows: [hours:]minutes:seconds."""
    seconds = 0.0
    for part in text.split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def _ps(column: str, pid: int) -> str:
    return subprocess.run(
        ["ps", "-o", f"{column}=", "-p", str(pid)], check=True, capture_output=True, text=True
    ).stdout.strip()
