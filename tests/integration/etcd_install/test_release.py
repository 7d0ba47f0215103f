"""Installing from a release host: what is checked, and what a failure leaves behind (nothing)."""

from __future__ import annotations

import io
import stat
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from localplane.apiserver.storage.etcd.program.binary import ask_version
from localplane.apiserver.storage.etcd.program.install.errors import InstallFailed, Unreachable
from localplane.apiserver.storage.etcd.program.install.installer import unpack_member
from localplane.apiserver.storage.etcd.program.install.releases import RELEASES, Release, choose_release
from tests.integration.etcd_install.conftest import MakeInstaller
from tests.integration.etcd_install.release_host import (
    STEM,
    VERSION,
    Notes,
    ReleaseHost,
    etcd_script,
    files_in,
    tar_gz,
)


def test_the_binary_and_nothing_else_ends_up_in_the_cache(
    release_host: ReleaseHost, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    release_host.offer(archive)
    installed = make_installer(archive).install(base_url=release_host.url)

    assert not installed.already
    assert installed.binary.path == cache / VERSION / "etcd"
    assert ask_version(installed.binary.path) == VERSION
    assert stat.S_IMODE(installed.binary.path.stat().st_mode) == 0o755
    assert files_in(cache) == [f"{VERSION}/etcd"]


def test_progress_ends_at_the_size_of_the_archive(
    release_host: ReleaseHost, make_installer: MakeInstaller, archive: bytes, notes: Notes
) -> None:
    release_host.offer(archive)
    make_installer(archive).install(base_url=release_host.url)
    assert notes.received[-1] == (len(archive), len(archive))


def test_a_second_install_downloads_nothing_unless_forced(
    release_host: ReleaseHost, make_installer: MakeInstaller, archive: bytes
) -> None:
    release_host.offer(archive)
    installer = make_installer(archive)
    installer.install(base_url=release_host.url)
    assert installer.install(base_url=release_host.url).already
    assert len(release_host.requests) == 1

    assert not installer.install(base_url=release_host.url, force=True).already
    assert len(release_host.requests) == 2


def test_a_broken_binary_in_the_cache_is_replaced(
    release_host: ReleaseHost, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    release_host.offer(archive)
    (cache / VERSION).mkdir(parents=True)
    (cache / VERSION / "etcd").write_bytes(b"half a file")
    assert not make_installer(archive).install(base_url=release_host.url).already
    assert ask_version(cache / VERSION / "etcd") == VERSION


def test_a_wrong_sum_is_refused_and_leaves_nothing(
    release_host: ReleaseHost, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    release_host.offer(archive)
    with pytest.raises(InstallFailed, match=f"instead of {'0' * 64}"):
        make_installer(sha256="0" * 64).install(base_url=release_host.url)
    assert list(cache.iterdir()) == []


def test_a_truncated_download_is_refused_and_leaves_nothing(
    release_host: ReleaseHost, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    release_host.offer(archive)
    release_host.kept_back = 10
    with pytest.raises(InstallFailed, match="broke off"):
        make_installer(archive).install(base_url=release_host.url)
    assert list(cache.iterdir()) == []


def test_a_missing_release_says_what_was_asked_and_answered(
    release_host: ReleaseHost, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    with pytest.raises(InstallFailed, match=rf"{STEM}\.tar\.gz answered 404") as caught:
        make_installer(archive).install(base_url=release_host.url)
    assert not isinstance(caught.value, Unreachable)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("base_url", ["mirror.example.com/etcd", "ftp://127.0.0.1/etcd", "http://[::1"])
def test_an_address_that_is_none_is_an_error_and_no_reason_to_go_elsewhere(
    base_url: str, make_installer: MakeInstaller, archive: bytes
) -> None:
    with pytest.raises(InstallFailed, match="no address to download from") as caught:
        make_installer(archive).install(base_url=base_url)
    assert not isinstance(caught.value, Unreachable)


@pytest.mark.parametrize("name", [f"../{STEM}/etcd", "../../etcd", "/etcd", f"{STEM}/sub/../etcd"])
def test_a_member_with_another_path_is_not_taken_for_etcd(
    name: str, release_host: ReleaseHost, make_installer: MakeInstaller, cache: Path, tmp_path: Path
) -> None:
    archive = tar_gz({name: etcd_script(VERSION)})
    release_host.offer(archive)
    before = files_in(tmp_path)
    with pytest.raises(InstallFailed, match=f"holds no file called {STEM}/etcd"):
        make_installer(archive).install(base_url=release_host.url)
    assert list(cache.iterdir()) == []
    assert files_in(tmp_path) == before


def test_a_link_called_etcd_is_not_followed(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        link = tarfile.TarInfo(f"{STEM}/etcd")
        link.type, link.linkname = tarfile.SYMTYPE, "/bin/sh"
        tar.addfile(link)
    (tmp_path / "a.tar.gz").write_bytes(buffer.getvalue())
    with pytest.raises(InstallFailed, match="holds no file"):
        unpack_member(tmp_path / "a.tar.gz", f"{STEM}/etcd", tmp_path / "etcd")
    assert not (tmp_path / "etcd").exists()


def test_a_zip_is_unpacked_as_well(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        zipped.writestr("etcd-v1-darwin-arm64/etcd", b"program")
    unpack_member(tmp_path / "a.zip", "etcd-v1-darwin-arm64/etcd", tmp_path / "etcd")
    assert (tmp_path / "etcd").read_bytes() == b"program"


def test_what_is_no_archive_is_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    for name in ("a.tar.gz", "a.zip"):
        (tmp_path / name).write_bytes(b"<html>log in first</html>")
        with pytest.raises(InstallFailed, match="can't be unpacked"):
            unpack_member(tmp_path / name, "etcd", tmp_path / "etcd")


def test_a_binary_of_another_version_than_it_says_is_refused(
    release_host: ReleaseHost, make_installer: MakeInstaller, cache: Path
) -> None:
    archive = tar_gz({f"{STEM}/etcd": etcd_script("3.4.23")})
    release_host.offer(archive)
    with pytest.raises(InstallFailed, match=rf"is version 3\.4\.23 instead of {VERSION}"):
        make_installer(archive).install(base_url=release_host.url)
    assert list(cache.iterdir()) == []


class Impatient(Notes):
    """Presses Ctrl-C as soon as bytes arrive."""

    def progress(self, received: int, total: int | None) -> None:
        raise KeyboardInterrupt


def test_an_interrupt_leaves_nothing(
    release_host: ReleaseHost, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    release_host.offer(archive)
    installer = make_installer(archive, reporter=Impatient())
    with pytest.raises(KeyboardInterrupt):
        installer.install(base_url=release_host.url)
    assert list(cache.iterdir()) == []


def test_installers_that_run_at_once_do_not_harm_one_another(
    release_host: ReleaseHost, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    release_host.offer(archive)
    start = threading.Barrier(4)
    versions: list[str] = []

    def install() -> None:
        installer = make_installer(archive)
        start.wait()
        versions.append(installer.install(base_url=release_host.url, force=True).binary.version)

    threads = [threading.Thread(target=install) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert versions == [VERSION] * 4
    assert files_in(cache) == [f"{VERSION}/etcd"]


def test_a_platform_without_a_sum_is_told_what_to_do() -> None:
    with pytest.raises(InstallFailed, match=r"no etcd release is known for plan9-mips; .*--etcd PATH"):
        choose_release(RELEASES, platform="plan9-mips", version=None)


def test_a_version_without_a_sum_is_told_which_have_one() -> None:
    with pytest.raises(InstallFailed, match=r"etcd 3\.5\.1 has no known sha256 sum .*known: 3\.5\.33"):
        choose_release(RELEASES, platform="linux-amd64", version="3.5.1")


def test_versions_may_be_written_with_a_v() -> None:
    assert choose_release(RELEASES, platform="linux-arm64", version="v3.6.5").version == "3.6.5"


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: f"{release.version}-{release.platform}")
def test_every_pinned_sum_has_the_form_of_one(release: Release) -> None:
    assert len(bytes.fromhex(release.sha256)) == 32
    assert [one.sha256 for one in RELEASES].count(release.sha256) == 1
