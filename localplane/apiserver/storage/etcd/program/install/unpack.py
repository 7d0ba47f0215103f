"""One file out of an archive. Names inside the archive are compared, never used as paths."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from typing import TYPE_CHECKING

from .errors import InstallFailed

if TYPE_CHECKING:
    from pathlib import Path


def unpack_member(archive: Path, member: str, destination: Path) -> None:
    """Write the regular file called `member` to `destination`; raises InstallFailed if there is none."""
    try:
        if archive.suffix == ".zip":
            found = _from_zip(archive, member, destination)
        else:
            found = _from_tar(archive, member, destination)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise InstallFailed(f"{archive.name} can't be unpacked: {error}") from error
    if not found:
        raise InstallFailed(f"{archive.name} holds no file called {member}")


def _from_tar(archive: Path, member: str, destination: Path) -> bool:
    with tarfile.open(archive, "r:gz") as tar:
        for entry in tar:
            if entry.name == member and entry.isreg() and (source := tar.extractfile(entry)) is not None:
                with source, destination.open("wb") as target:
                    shutil.copyfileobj(source, target)
                return True
    return False


def _from_zip(archive: Path, member: str, destination: Path) -> bool:
    with zipfile.ZipFile(archive) as zipped:
        if member not in zipped.namelist():
            return False
        with zipped.open(member) as source, destination.open("wb") as target:
            shutil.copyfileobj(source, target)
    return True
