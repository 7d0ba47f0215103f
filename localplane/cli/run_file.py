"""Who runs a plane, written down by the plane itself.

The lock says whether it runs: the kernel gives it back however the process ends. The file says what it is like, and
names the process by its pid and its birth, so that nobody else is ever taken for it. A file without a lock is what a
killed plane left behind.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from localplane.files import write_atomically

from .errors import AlreadyUp, PlaneError
from .places import Places, known_names, make_private, places
from .processes import birth, is_alive

STARTING, READY, STOPPING = "starting", "ready", "stopping"

_FORMAT = 1
_PATIENCE = 1.0
_LOOK_AGAIN = 0.01


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Nothing secret: `kctl status -o json` prints it. `round` counts how often it was emptied; `socket` is where it
    answers about itself; `merged_into` is the kubeconfig that has its context."""

    name: str
    pid: int
    born: str
    phase: str = STARTING
    started: str = ""
    url: str = ""
    context: str = ""
    kubeconfig: str = ""
    merged_into: str = ""
    data_dir: str = ""
    ephemeral: bool = False
    external: bool = False
    store: str = ""
    socket: str = ""
    detached: bool = False
    round: int = 0
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def is_alive(self) -> bool:
        return is_alive(self.pid, self.born)


class Claim:
    """A plane's name, held by this process until it ends or lets go."""

    def __init__(self, where: Places, lock: int, left_behind: RunRecord | None) -> None:
        self.places = where
        self.left_behind = left_behind
        self._lock: int | None = lock

    @classmethod
    def take(cls, name: str) -> Self:
        """Raises AlreadyUp if a plane of this name runs."""
        where = places(name)
        make_private(where.directory.parent.parent)
        make_private(where.directory.parent)
        give_up = time.monotonic() + _PATIENCE
        while True:
            make_private(where.directory)
            try:
                lock = os.open(where.lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            except FileNotFoundError:
                continue  # the one before us has taken its directory away
            if not _locked(lock):
                os.close(lock)
                holder = read(where)
                if (holder is None or not holder.is_alive) and time.monotonic() < give_up:
                    # Somebody cleans up after a kill, or begins and has not said so yet: a moment decides it.
                    time.sleep(_LOOK_AGAIN)
                    continue
                raise AlreadyUp(already_up(name, holder))
            if _is_still(where.lock, lock):
                return cls(where, lock, read(where))
            os.close(lock)

    def write(self, record: RunRecord) -> None:
        document = {"format": _FORMAT, **asdict(record)}
        try:
            # The name is ours alone while we hold the lock; who ran a plane is of no interest after a power cut.
            write_atomically(self.places.run_file, json.dumps(document).encode(), durable=False)
        except OSError as error:
            raise PlaneError(f"{self.places.run_file} can't be written: {error.strerror}") from error

    def forget(self) -> None:
        """The plane stopped as it should: there is nothing to tell any more."""
        self.places.run_file.unlink(missing_ok=True)

    def vanish(self) -> None:
        """Of a plane that keeps nothing: its log goes, too, and the directory with it. The lock goes last, while it is
        held: whoever waited for that file begins again with another."""
        where = self.places
        for file in (
            where.run_file,
            where.run_file.with_name(f"{where.run_file.name}.tmp"),
            where.log,
            where.older_log,
            where.lock,
        ):
            file.unlink(missing_ok=True)
        with suppress(OSError):  # somebody else has put something there, or begins already
            where.directory.rmdir()

    def release(self) -> None:
        if self._lock is not None:
            fcntl.flock(self._lock, fcntl.LOCK_UN)
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def record_of_this_process(name: str) -> RunRecord:
    """As it is when a plane begins."""
    pid = os.getpid()
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return RunRecord(name, pid, birth(pid) or "", started=now)


def read(where: Places) -> RunRecord | None:
    """What the file says; None if there is none that can be read. Whether it is still true is `is_up`'s question."""
    try:
        document: Any = json.loads(where.run_file.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        return None
    known = {item.name for item in fields(RunRecord)}
    try:
        return RunRecord(**{key: value for key, value in document.items() if key in known})
    except TypeError:
        return None


def is_up(where: Places) -> bool:
    """Whether somebody holds the lock."""
    try:
        lock = os.open(where.lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise PlaneError(f"{where.lock}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def running(name: str) -> RunRecord | None:
    """The record of a plane that runs now, else None."""
    where = places(name)
    if not is_up(where):
        return None
    record = read(where)
    return record if record is not None and record.is_alive else None


def running_names() -> list[str]:
    return [name for name in known_names() if running(name) is not None]


def already_up(name: str, record: RunRecord | None) -> str:
    """The sentence for a name that is taken."""
    where = f" at {record.url}" if record and record.url else ""
    process = f" (process {record.pid})" if record else ""
    option = "" if name == "default" else f" --name {name}"
    return (
        f'plane "{name}" is already up{where}{process}: '
        f"stop it with `kctl down{option}`, or start another one with --name"
    )


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether the file that was opened is the one that is found there now."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _locked(lock: int) -> bool:
    """Those who only look hold it for an instant, and a killed holder is a moment away from letting go."""
    for _ in range(20):
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(0.01)
    return False
