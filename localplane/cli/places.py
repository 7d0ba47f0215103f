"""Where a plane keeps what. Everything lies in the user's state directory, in folders that are his alone.

    $XDG_STATE_HOME/kctl/NAME              its data, unless --data-dir says otherwise
    $XDG_STATE_HOME/kctl/.planes/NAME/     who runs it (run.json, lock) and what it said (log)

A name can't begin with a dot, so no plane's data is ever called `.planes`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .errors import PlaneError

DEFAULT_NAME = "default"

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Places:
    """Of one plane. Nothing is made by asking."""

    name: str
    state: Path

    @property
    def directory(self) -> Path:
        return self.state / ".planes" / self.name

    @property
    def run_file(self) -> Path:
        return self.directory / "run.json"

    @property
    def lock(self) -> Path:
        return self.directory / "lock"

    @property
    def log(self) -> Path:
        return self.directory / "log"

    @property
    def older_log(self) -> Path:
        """What the log said before it was turned over."""
        return self.directory / "log.1"

    @property
    def data(self) -> Path:
        return self.state / self.name


def places(name: str) -> Places:
    """Raises PlaneError for what can't be a name: it becomes a directory and a context."""
    if not _NAME.fullmatch(name):
        raise PlaneError(
            f'"{name}" can\'t be the name of a plane: use lower case letters, digits and "-", at most 63 of them'
        )
    return Places(name, state_directory())


def state_directory() -> Path:
    """As the XDG base directory specification has it; a relative path counts as none."""
    named = os.environ.get("XDG_STATE_HOME", "")
    if named.startswith("/"):
        return Path(named) / "kctl"
    try:
        return Path("~/.local/state").expanduser() / "kctl"
    except RuntimeError as error:
        raise PlaneError("there is no home directory to keep anything in: set HOME or XDG_STATE_HOME") from error


def known_names() -> Iterator[str]:
    """Of all planes that were ever started here, in order."""
    directory = state_directory() / ".planes"
    if directory.is_dir():
        yield from sorted(entry.name for entry in directory.iterdir() if _NAME.fullmatch(entry.name))


def make_private(directory: Path) -> None:
    """Make a directory that only we can look into. Raises PlaneError where we can't, or where it is somebody else's."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = directory.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) != 0o700:
            directory.chmod(0o700)
    except OSError as error:
        where = error.filename or directory
        raise PlaneError(f"{where}: {error.strerror}: mend it, or set XDG_STATE_HOME to another place") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PlaneError(f"{directory} is not a directory of yours: remove it, or set XDG_STATE_HOME to another place")
