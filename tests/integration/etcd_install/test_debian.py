"""The way around through a Debian package, with scripts in place of apt."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from localplane.apiserver.storage.etcd.program.binary import ask_version
from localplane.apiserver.storage.etcd.program.install.debian import DebianArchive, DebianPackage
from localplane.apiserver.storage.etcd.program.install.errors import InstallFailed, Unreachable
from tests.integration.etcd_install.conftest import MakeInstaller
from tests.integration.etcd_install.release_host import Notes, etcd_script, files_in

NOBODY = "http://127.0.0.1:1"
ARCHIVE = "http://archive.example.com/debian"

APT_GET = """#!/bin/sh
echo "$@" >> "$RECORD/calls"
cp "$APT_CONFIG" "$RECORD/apt.conf"
cp sources.list "$RECORD/sources.list"
case "$*" in
*download*) cp "$RECORD/package" etcd-server_3.5.98-4_amd64.deb ;;
esac
"""
APT_CONFIG = """#!/bin/sh
echo 'Acquire::http::Proxy "http://proxy.example.com:3128";'
"""
DPKG_DEB = """#!/bin/sh
mkdir -p "$3/usr/bin" && cp "$2" "$3/usr/bin/etcd"
"""


class FakeMachine:
    """A Debian whose apt writes down what it was told. Its packages are the program itself."""

    def __init__(self, directory: Path) -> None:
        self.etc_apt = directory / "etc-apt"
        self.bin = directory / "bin"
        self.record = directory / "record"
        for path in (self.etc_apt, self.bin, self.record):
            path.mkdir()
        for name, script in (("apt-get", APT_GET), ("apt-config", APT_CONFIG), ("dpkg-deb", DPKG_DEB)):
            self.replace(name, script)
        (self.etc_apt / "sources.list").write_text(f"deb {ARCHIVE} bookworm main\n")
        (self.record / "package").write_bytes(etcd_script("3.5.98"))

    def replace(self, tool: str, script: str) -> None:
        (self.bin / tool).write_text(script)
        (self.bin / tool).chmod(0o755)

    def archive(self) -> DebianArchive:
        environ = {"PATH": f"{self.bin}:/usr/bin:/bin", "RECORD": str(self.record)}
        return DebianArchive(apt_directory=self.etc_apt, environ=environ)

    def package(self) -> DebianPackage:
        return DebianPackage(
            name="etcd-server",
            version="3.5.98-4",
            suite="trixie",
            program="usr/bin/etcd",
            sha256={"amd64": hashlib.sha256((self.record / "package").read_bytes()).hexdigest()},
        )

    def told(self, name: str) -> str:
        return (self.record / name).read_text()


@pytest.fixture
def machine(tmp_path: Path) -> FakeMachine:
    return FakeMachine(tmp_path)


def test_an_unreachable_release_host_leads_to_the_debian_package(
    machine: FakeMachine, make_installer: MakeInstaller, archive: bytes, cache: Path, notes: Notes
) -> None:
    installer = make_installer(archive, debian=machine.archive(), package=machine.package())
    installed = installer.install(base_url=NOBODY)

    assert installed.binary.version == "3.5.98"
    assert ask_version(cache / "3.5.98" / "etcd") == "3.5.98"
    assert files_in(cache) == ["3.5.98/etcd"]
    assert NOBODY in notes.sentences[-1]
    assert "Debian" in notes.sentences[-1]


def test_the_second_time_apt_is_not_asked_again(
    machine: FakeMachine, make_installer: MakeInstaller, archive: bytes
) -> None:
    installer = make_installer(archive, debian=machine.archive(), package=machine.package())
    installer.install(base_url=NOBODY)
    calls = machine.told("calls")
    assert installer.install(base_url=NOBODY).already
    assert machine.told("calls") == calls


def test_apt_is_asked_for_that_version_from_the_machines_own_archive(
    machine: FakeMachine, make_installer: MakeInstaller, archive: bytes
) -> None:
    make_installer(archive, debian=machine.archive(), package=machine.package()).install(base_url=NOBODY)
    assert machine.told("calls").splitlines() == ["--quiet update", "--quiet download etcd-server=3.5.98-4"]
    assert machine.told("sources.list").endswith(f"{ARCHIVE} trixie main\n")


def test_apt_keeps_the_machines_way_to_the_network_and_writes_nowhere_else(
    machine: FakeMachine, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    make_installer(archive, debian=machine.archive(), package=machine.package()).install(base_url=NOBODY)
    told = machine.told("apt.conf")
    assert 'Acquire::http::Proxy "http://proxy.example.com:3128";' in told
    for name in ("Dir::State", "Dir::State::lists", "Dir::State::status", "Dir::Cache"):
        assert f'{name} "{cache}/.install-' in told
    for name in ("main", "parts", "sourceparts", "preferences", "preferencesparts"):
        assert f'Dir::Etc::{name} "/dev/null";' in told


def test_a_named_version_is_not_replaced_by_another(
    machine: FakeMachine, make_installer: MakeInstaller, archive: bytes
) -> None:
    installer = make_installer(archive, debian=machine.archive(), package=machine.package())
    with pytest.raises(Unreachable, match=NOBODY):
        installer.install(version="3.5.99", base_url=NOBODY)
    assert not (machine.record / "calls").exists()


def test_without_apt_the_first_failure_is_the_answer(
    make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    with pytest.raises(Unreachable, match=rf"{NOBODY}/v.* can't be reached"):
        make_installer(archive).install(base_url=NOBODY)
    assert list(cache.iterdir()) == []


def test_a_package_with_another_sum_is_refused_and_leaves_nothing(
    machine: FakeMachine, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    package = machine.package()
    (machine.record / "package").write_bytes(etcd_script("3.5.98") + b"# and more")
    with pytest.raises(InstallFailed, match=rf"instead of {package.sha256['amd64']}"):
        make_installer(archive, debian=machine.archive(), package=package).install(base_url=NOBODY)
    assert list(cache.iterdir()) == []


def test_when_apt_fails_too_both_reasons_are_told(
    machine: FakeMachine, make_installer: MakeInstaller, archive: bytes, cache: Path
) -> None:
    machine.replace("apt-get", "#!/bin/sh\necho 'E: nothing but trouble' >&2\nexit 100\n")
    installer = make_installer(archive, debian=machine.archive(), package=machine.package())
    with pytest.raises(InstallFailed, match=r"can't be reached.*apt-get update failed: E: nothing but trouble"):
        installer.install(base_url=NOBODY)
    assert list(cache.iterdir()) == []


def test_an_apt_without_a_debian_archive_says_so(
    machine: FakeMachine, make_installer: MakeInstaller, archive: bytes
) -> None:
    (machine.etc_apt / "sources.list").write_text("deb http://archive.example.com/ubuntu noble main universe\n")
    installer = make_installer(archive, debian=machine.archive(), package=machine.package())
    with pytest.raises(InstallFailed, match="no Debian archive is configured"):
        installer.install(base_url=NOBODY)
