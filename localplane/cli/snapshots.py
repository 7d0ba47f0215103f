"""The files of snapshots, and snapshots of planes that are down.

A snapshot that is saved under a name lies in `$XDG_STATE_HOME/kctl/.snapshots/NAME.snapshot`; whatever has a slash in
it, or ends so, is the path of a file. Written whole or not at all, for their owner alone.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from localplane.apiserver.storage.snapshot import (
    SUFFIX,
    Header,
    Snapshot,
    SnapshotDamaged,
    check,
    decode,
    read_header,
)
from localplane.files import write_atomically

from .errors import PlaneError
from .places import make_private, state_directory
from .run_file import Claim

if TYPE_CHECKING:
    from localplane.apiserver.storage.archive import Archive

STDIN: Final = "-"

_NAME: Final = re.compile(r"[a-zA-Z0-9]([-._a-zA-Z0-9]{0,98}[a-zA-Z0-9])?")
_BEGINNING_BYTES: Final = 128 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Saved:
    """A snapshot that lies under a name. `header` is None, and `problem` a sentence, if it can't be read."""

    name: str
    path: Path
    size: int
    header: Header | None
    problem: str = ""


def directory() -> Path:
    return state_directory() / ".snapshots"


def path_of(word: str) -> Path:
    """Where a snapshot lies that somebody has named, by its name or by its path."""
    if "/" in word or word.endswith(SUFFIX):
        return Path(word).expanduser()
    if not _NAME.fullmatch(word):
        raise PlaneError(f'"{word}" can\'t be the name of a snapshot: use letters, digits, ".", "_" and "-"')
    return directory() / f"{word}{SUFFIX}"


def new_name() -> str:
    """For whoever gives none."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def write(path: Path, data: bytes, *, overwrite: bool) -> Header:
    """Raises PlaneError. What is there is there to stay, or it is as it was."""
    try:
        header = check(data)
    except SnapshotDamaged as error:
        raise PlaneError(f"what the server sent {error}") from error
    if path.parent == directory():
        make_private(state_directory())
        make_private(path.parent)
    if not overwrite and path.exists():
        raise PlaneError(f"{path} is there already: choose another name, or say --force")
    try:
        write_atomically(path, data)
    except OSError as error:
        raise PlaneError(f"{path} can't be written: {error.strerror}") from error
    return header


def read(word: str) -> bytes:
    """The content of a snapshot by its name or path, or of stdin; nobody has looked at it. Raises PlaneError."""
    if word == STDIN:
        return sys.stdin.buffer.read()
    path = path_of(word)
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise PlaneError(f"there is no snapshot {path}: see `kctl snapshot list`") from error
    except OSError as error:
        raise PlaneError(f"{path} can't be read: {error.strerror}") from error


def load(word: str) -> Snapshot:
    """Raises PlaneError for what is no snapshot, or not all of one."""
    return loaded(read(word), word)


def loaded(data: bytes, word: str) -> Snapshot:
    """The same for what was read already."""
    try:
        return decode(data)
    except SnapshotDamaged as error:
        raise PlaneError(f"{'what stdin has' if word == STDIN else path_of(word)} {error}") from error


def saved() -> Iterator[Saved]:
    """All that lie under a name, in order."""
    if not directory().is_dir():
        return
    for path in sorted(directory().glob(f"[!.]*{SUFFIX}")):
        name, size = path.name.removesuffix(SUFFIX), path.stat().st_size
        try:
            with path.open("rb") as file:
                yield Saved(name, path, size, read_header(file.read(_BEGINNING_BYTES)))
        except SnapshotDamaged as error:
            yield Saved(name, path, size, None, str(error))
        except OSError as error:
            yield Saved(name, path, size, None, f"can't be read: {error.strerror}")


def remove(name: str) -> None:
    """One that lies under a name. Raises PlaneError."""
    path = path_of(name)
    if path.parent != directory():
        raise PlaneError(f"{name} is a file of yours: remove it yourself; this removes what `kctl snapshot list` shows")
    try:
        path.unlink()
    except FileNotFoundError as error:
        raise PlaneError(f'there is no snapshot "{name}": see `kctl snapshot list`') from error
    except OSError as error:
        raise PlaneError(f"{path} can't be removed: {error.strerror}") from error


def save_stopped(name: str) -> bytes:
    """A snapshot of a plane that is down. Raises PlaneError, and StorageErrors."""

    async def take(archive: Archive, store: str) -> bytes:
        return b"".join((await archive.take()).encoded(plane=f"kctl-{name}", store=store))

    return _with_archive(name, take)


def restore_stopped(name: str, snapshot: Snapshot) -> int:
    """Put a plane that is down back to a snapshot; returns the revision. Raises PlaneError, and StorageErrors."""

    async def restore(archive: Archive, _: str) -> int:
        return await archive.restore(snapshot)

    return _with_archive(name, restore)


def _with_archive(name: str, work: Callable[[Archive, str], Awaitable[T]]) -> T:
    with Claim.take(name) as claim:
        left = claim.left_behind.data_dir if claim.left_behind else ""
        path = Path(left) if left else claim.places.data

        async def run() -> T:
            async with _archive(path, name) as (archive, store):
                return await work(archive, store)

        return asyncio.run(run())


@asynccontextmanager
async def _archive(path: Path, name: str) -> AsyncIterator[tuple[Archive, str]]:
    # Imported here: a plane that runs is asked, and needs none of it.
    from localplane.compose.archives import stored_archive
    from localplane.compose.options import StorageOptions
    from localplane.compose.storage import holds_objects, open_storage

    if not holds_objects(path):
        raise PlaneError(f'plane "{name}" is down and keeps no data: start it with `kctl up -d --name {name}`')
    async with open_storage(StorageOptions(data_dir=path)) as storage:
        yield stored_archive(storage.cacher), storage.store
