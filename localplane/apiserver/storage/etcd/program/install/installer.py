"""From a version to a binary in the cache: choose, download, check, unpack, try, put in place.

Everything happens in a scratch directory beside the target and becomes visible by one rename, so whatever goes wrong
leaves nothing behind, and installers that run at once each put the same file there.
"""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from localplane.apiserver.storage.etcd.program.binary import EtcdBinary, EtcdUnusable, ask_version

from .debian import ETCD_SERVER, DebianArchive, DebianPackage
from .download import check_sha256, download
from .errors import InstallFailed, Unreachable
from .releases import OFFICIAL_BASE_URL, RELEASES, Release, choose_release, this_platform

if TYPE_CHECKING:
    from collections.abc import Sequence


# One file out of an archive. Names inside the archive are compared, never used as paths.


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


class Reporter(Protocol):
    """Who is told how it goes. Both are called from the installing thread, and what they raise ends the install."""

    def note(self, sentence: str) -> None: ...
    def progress(self, received: int, total: int | None) -> None: ...


@dataclass(frozen=True, slots=True)
class Installed:
    """`already`: it was there before, and nothing was done."""

    binary: EtcdBinary
    already: bool


class EtcdInstaller:
    def __init__(
        self,
        *,
        cache: Path,
        reporter: Reporter,
        releases: Sequence[Release] = RELEASES,
        debian: DebianArchive,
        debian_package: DebianPackage = ETCD_SERVER,
        platform: str | None = None,
    ) -> None:
        self._cache = cache
        self._reporter = reporter
        self._releases = releases
        self._debian = debian
        self._debian_package = debian_package
        self._platform = platform or this_platform()

    def install(
        self, *, version: str | None = None, base_url: str = OFFICIAL_BASE_URL, force: bool = False
    ) -> Installed:
        """Put an etcd into the cache; raises InstallFailed. `force` does it again even if it is there."""
        release = choose_release(self._releases, platform=self._platform, version=version)
        if not force and (binary := self._cached(release.version)):
            return Installed(binary, already=True)
        try:
            with self._scratch() as scratch:
                program = self._from_release(release, base_url, Path(scratch))
                return Installed(self._put_in_place(program, release.version), already=False)
        except Unreachable as error:
            # Another version than the one that was asked for would be no help.
            if version is not None or not self._debian.offers(self._debian_package, platform=self._platform):
                raise
            self._reporter.note(f"{error}; trying the Debian package instead")
            return self._install_from_debian(force=force, tried=error)

    def _from_release(self, release: Release, base_url: str, scratch: Path) -> Path:
        url = release.url(base_url)
        archive = scratch / release.archive
        self._reporter.note(f"downloading {url}")
        download(url, archive, on_progress=self._reporter.progress)
        check_sha256(archive, release.sha256, origin=url)
        program = scratch / "etcd"
        unpack_member(archive, release.member, program)
        return program

    def _install_from_debian(self, *, force: bool, tried: Unreachable) -> Installed:
        package = self._debian_package
        if not force and (binary := self._cached(package.upstream_version)):
            return Installed(binary, already=True)
        with self._scratch() as scratch:
            try:
                program = self._debian.fetch(package, platform=self._platform, scratch=Path(scratch))
            except InstallFailed as error:
                raise InstallFailed(f"{tried}; and Debian's package failed too: {error}") from error
            return Installed(self._put_in_place(program, package.upstream_version), already=False)

    def _put_in_place(self, program: Path, version: str) -> EtcdBinary:
        program.chmod(0o755)
        try:
            found = ask_version(program)
        except EtcdUnusable as error:
            raise InstallFailed(f"the etcd that was downloaded does not work here: {error}") from error
        if found != version:
            raise InstallFailed(f"the etcd that was downloaded is version {found} instead of {version}")
        with program.open("rb") as file:
            os.fsync(file.fileno())
        target = self._target(version)
        target.parent.mkdir(exist_ok=True)
        program.replace(target)
        return EtcdBinary(path=target, version=version, source="cache")

    def _cached(self, version: str) -> EtcdBinary | None:
        target = self._target(version)
        try:
            return EtcdBinary(path=target, version=ask_version(target), source="cache")
        except EtcdUnusable:
            return None

    def _target(self, version: str) -> Path:
        return self._cache / version / "etcd"

    def _scratch(self) -> tempfile.TemporaryDirectory[str]:
        self._cache.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(prefix=".install-", dir=self._cache)
