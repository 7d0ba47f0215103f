"""Files that are written whole or not at all: the one place where a file is written aside and renamed.

Everybody who keeps a file for others, or for the next start, calls it: storage, certificates, kubeconfigs, run files.
It knows nothing of what is in them.
"""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes, *, durable: bool = True, shared: bool = False) -> None:
    """Replace the file, readable by its owner alone, so that a reader sees the old or the new content.

    If it is `durable`, so does the next start after a power cut, and when this returns the new one is there to stay.
    Two writers of one file would meet in its temporary name: whoever calls this is the only one who may. In a directory
    that is `shared` with other programs the temporary name is one that nobody else has.
    """
    descriptor, temporary = _draft(path, shared=shared)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.rename(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_directory(path.parent)


def _draft(path: Path, *, shared: bool) -> tuple[int, Path]:
    if shared:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        return descriptor, Path(name)
    temporary = path.with_name(f"{path.name}.tmp")
    return os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), temporary


def sync_directory(path: Path) -> None:
    """Make the names in a directory last: a file that was synced may still be lost with its name."""
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # a file system that keeps no such promise
            raise
    finally:
        os.close(directory)
