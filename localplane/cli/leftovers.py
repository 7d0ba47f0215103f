"""What a plane leaves behind when it is killed, and taking it away. Nothing is deleted that we did not make."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

from localplane.apiserver.storage.data_directory import DataDirectory, is_data_directory
from localplane.temporary import OWNER, PREFIXES

from .context import remove_context
from .run_file import RunRecord

TEMPORARY_PREFIX = PREFIXES[1]

# Who has a kubeconfig of an emptied plane goes on using it, so its keys stay.
_KEPT_WHEN_EMPTIED = frozenset({"lock.json", "localplane-data.json", "pki", "kubeconfig", OWNER})


def take_away(record: RunRecord, *, context: bool = True) -> None:
    """Of a plane that does not run any more: its context, and its data if it was not meant to be kept."""
    if context and record.merged_into:
        remove_context(Path(record.merged_into), record.context)
    temporary = {Path(record.socket).parent} - {Path(record.data_dir)} if record.socket else set()
    if record.ephemeral:
        temporary |= {Path(record.data_dir)} if record.data_dir else {Path(record.kubeconfig).parent}
    for path in temporary:
        _remove_temporary(path)


def empty(data_dir: Path) -> None:
    """Delete all that is stored, and keep the keys. Raises a DataDirectoryError if somebody uses it."""
    with DataDirectory(data_dir, command="kctl reset") as directory:
        for entry in directory.path.iterdir():
            if entry.name not in _KEPT_WHEN_EMPTIED:
                _remove(entry)


def delete(data_dir: Path) -> bool:
    """Delete a whole data directory, if it is one of ours. Raises a DataDirectoryError if somebody uses it."""
    if not is_data_directory(data_dir):
        return False
    with DataDirectory(data_dir, command="kctl reset") as directory:
        shutil.rmtree(directory.path)
    return True


def _remove_temporary(path: Path) -> None:
    """Only where temporary directories are made, only with our name, and only if it is really ours."""
    if path.parent != Path(tempfile.gettempdir()).resolve() or not path.name.startswith(PREFIXES):
        return
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
        shutil.rmtree(path, ignore_errors=True)


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()
