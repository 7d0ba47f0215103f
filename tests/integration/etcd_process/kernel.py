"""What the kernel knows about a process, read from /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path

PROC = Path("/proc")


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended and was not reaped does not."""
    try:
        state = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone_within(pid: int, seconds: float) -> bool:
    """A process that is not our child gives no event to wait for."""
    end = time.monotonic() + seconds
    while alive(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def members_of_group(group: int) -> list[int]:
    found = []
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                if os.getpgid(int(entry.name)) == group and alive(int(entry.name)):
                    found.append(int(entry.name))
            except ProcessLookupError:
                continue
    return found


def sockets_of(pid: int) -> set[str]:
    """The inodes of the process's sockets."""
    links = (str(entry.readlink()) for entry in (PROC / str(pid) / "fd").iterdir())
    return {link.removeprefix("socket:[").rstrip("]") for link in links if link.startswith("socket:[")}


def tcp_inodes() -> set[str]:
    tables = ("tcp", "tcp6", "udp", "udp6")
    return {line.split()[9] for table in tables for line in (PROC / "net" / table).read_text().splitlines()[1:]}


def listening_unix_names(pid: int) -> set[str]:
    """The names of its listening unix sockets; abstract ones begin with @."""
    inodes = sockets_of(pid)
    rows = (line.split() for line in (PROC / "net" / "unix").read_text().splitlines()[1:])
    return {row[7] if len(row) > 7 else "" for row in rows if row[6] in inodes and row[3] == "00010000"}


def environment_of(pid: int) -> dict[str, str]:
    pairs = (PROC / str(pid) / "environ").read_bytes().decode().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair)


def command_of(pid: int) -> list[str]:
    return (PROC / str(pid) / "cmdline").read_bytes().decode().rstrip("\0").split("\0")
