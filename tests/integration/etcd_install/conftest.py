from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from localplane.apiserver.storage.etcd.program.install.debian import DebianArchive, DebianPackage
from localplane.apiserver.storage.etcd.program.install.installer import EtcdInstaller
from localplane.apiserver.storage.etcd.program.install.releases import Release
from tests.integration.etcd_install.release_host import (
    PLATFORM,
    STEM,
    VERSION,
    Notes,
    ReleaseHost,
    etcd_script,
    running_release_host,
    tar_gz,
)

MakeInstaller: TypeAlias = Callable[..., EtcdInstaller]


@pytest.fixture
def release_host() -> Iterator[ReleaseHost]:
    with running_release_host() as host:
        yield host


@pytest.fixture
def notes() -> Notes:
    return Notes()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def archive() -> bytes:
    """A release as etcd packs it, with more in it than is wanted."""
    return tar_gz({f"{STEM}/README.md": b"read me", f"{STEM}/etcd": etcd_script(VERSION), f"{STEM}/etcdctl": b"other"})


@pytest.fixture
def no_debian(tmp_path: Path) -> DebianArchive:
    """The archive as a machine without apt sees it."""
    return DebianArchive(apt_directory=tmp_path / "no-apt", environ={"PATH": str(tmp_path / "no-bin")})


@pytest.fixture
def make_installer(cache: Path, notes: Notes, no_debian: DebianArchive) -> MakeInstaller:
    """An installer that knows one release: the one whose bytes, or sum, it is given."""

    def make(
        archive: bytes = b"",
        *,
        sha256: str = "",
        debian: DebianArchive = no_debian,
        package: DebianPackage | None = None,
        reporter: Notes = notes,
    ) -> EtcdInstaller:
        release = Release(VERSION, PLATFORM, sha256 or hashlib.sha256(archive).hexdigest())
        nothing = DebianPackage(name="none", version="0", suite="none", program="none", sha256={})
        return EtcdInstaller(
            cache=cache,
            reporter=reporter,
            releases=[release],
            debian=debian,
            debian_package=package or nothing,
            platform=PLATFORM,
        )

    return make
