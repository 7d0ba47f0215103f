"""Why etcd is not running, in a sentence that says what to do: its last words, matched against a table."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from localplane.apiserver.storage.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LAST_WORDS = 20
_EXCERPT_LINES = 5
_EXCERPT_WIDTH = 400

# A warning that every start with our settings writes, and that says nothing about a failure.
_NOISE = re.compile(r"on single port|simple token is not cryptographically signed|found invalid file")
_STACK_TRACE = re.compile(r"^(goroutine \d|\t|[^\s(]++\(.*\)$|created by |\[signal |\s*+$)")


class FaultCause(StrEnum):
    NO_SPACE = "NoSpace"
    DAMAGED = "Damaged"
    NEWER_DATA = "NewerData"
    PERMISSION_DENIED = "PermissionDenied"
    READ_ONLY = "ReadOnly"
    HELD = "Held"
    WENT_BACK = "WentBack"
    ADDRESS_IN_USE = "AddressInUse"
    OUT_OF_MEMORY = "OutOfMemory"
    TOO_MANY_FILES = "TooManyFiles"
    UNSUITABLE_BINARY = "UnsuitableBinary"
    NO_ANSWER = "NoAnswer"
    PANIC = "Panic"
    KILLED = "Killed"
    EXITED = "Exited"


@dataclass(frozen=True, slots=True)
class EtcdFault:
    """`sentence` is for people; `detail` holds etcd's own last lines, for those who want to know more."""

    cause: FaultCause
    sentence: str
    detail: str = ""


class EtcdFailed(Unavailable):
    def __init__(self, fault: EtcdFault) -> None:
        super().__init__(f"{fault.sentence}\n{fault.detail}" if fault.detail else fault.sentence)
        self.fault = fault


_DAMAGE = (
    r"crc mismatch|invalid database|file size too small|checksum error|invalid page|Page expected to be|"
    r"page \d+ already freed|cannot use none as id|unexpected fault address|corrupt|walpb:|"
    r"snap: empty|wal: (?:file not found|conflicting|snapshot|slice bounds|max entry size)|unexpected EOF|"
    r"failed to (?:open database|recover|read WAL|repair)|out of range \[lastIndex"
)
_DATA_IS_DAMAGED = (
    "data is damaged: etcd can't read {data}. Nothing was deleted: restore that directory from a backup, or move it "
    "away to start empty"
)

# The first that matches wins: a full disk also panics, and a file that may not be opened also "fails to open".
_SENTENCES: tuple[tuple[FaultCause, str, str], ...] = (
    (
        FaultCause.NO_SPACE,
        r"no space left on device|disk quota exceeded",
        "the disk that holds {data} is full: free some space, and etcd can go on",
    ),
    (
        FaultCause.READ_ONLY,
        r"read-only file system",
        "the file system of {data} is read-only: make it writable, or choose another --data-dir",
    ),
    (
        FaultCause.PERMISSION_DENIED,
        r"permission denied|operation not permitted",
        "etcd has no permission on its files in {data}: give them back to the user who runs this, with mode 0700",
    ),
    (
        FaultCause.TOO_MANY_FILES,
        r"too many open files",
        "etcd may not open more files: raise the limit (`ulimit -n`) and start again",
    ),
    (
        FaultCause.OUT_OF_MEMORY,
        r"cannot allocate memory|out of memory",
        "etcd got no more memory: stop other programs, or give this one more",
    ),
    (
        FaultCause.NEWER_DATA,
        r"cannot be downgraded|cluster version.*(?:lower|higher)|unknown storage version",
        "the data in {data} was written by a newer etcd than {binary}: use that one, with --etcd PATH",
    ),
    (
        FaultCause.ADDRESS_IN_USE,
        r"address already in use",
        "etcd's socket is in use by another process: stop that one and start again",
    ),
    (
        FaultCause.UNSUITABLE_BINARY,
        r"flag provided but not defined|unknown flag|exec format error|can't execute|error while loading shared",
        "{binary} is not an etcd that can be used here: run `kctl etcd install`, or name another with --etcd PATH",
    ),
    (
        FaultCause.DAMAGED,
        _DAMAGE,
        _DATA_IS_DAMAGED,
    ),
    (
        FaultCause.PANIC,
        r"panic: |fatal error: ",
        "etcd ended with an error of its own: its log is in {log}",
    ),
)


def diagnose(lines: Iterable[str], *, returncode: int, data: Path, binary: Path, log: Path) -> EtcdFault:
    """Why etcd ended, from its exit and from the last lines it wrote in this run."""
    spoken = [said for line in lines if (said := _plain(line))][-_LAST_WORDS:]
    text, detail = "\n".join(spoken), "\n".join(line[:_EXCERPT_WIDTH] for line in spoken[-_EXCERPT_LINES:])
    if returncode < 0:  # etcd's own failures are exit codes, so what it wrote before has nothing to do with this
        return EtcdFault(
            FaultCause.KILLED, f"etcd was killed by {_signal_name(-returncode)}; its log is in {log}", detail
        )
    for cause, pattern, sentence in _SENTENCES:
        if re.search(pattern, text, re.IGNORECASE | re.MULTILINE):
            return EtcdFault(cause, sentence.format(data=data, binary=binary, log=log), detail)
    return EtcdFault(FaultCause.EXITED, f"etcd exited with code {returncode}; its log is in {log}", detail)


def _plain(line: str) -> str:
    """What a log line says, without time, place and stack; empty if it says nothing about a failure."""
    if _NOISE.search(line) or _STACK_TRACE.match(line):
        return ""
    try:
        entry = json.loads(line)
    except ValueError:
        return line.strip()
    if not isinstance(entry, dict):
        return line.strip()
    return ": ".join(str(entry[field]) for field in ("msg", "path", "error") if entry.get(field))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
