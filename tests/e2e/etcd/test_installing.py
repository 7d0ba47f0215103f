"""`kctl etcd` as a user meets it: no etcd, no network, a host that lies, Ctrl-C."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from localplane.apiserver.storage.etcd.program.install.releases import RELEASES, choose_release, this_platform
from tests.e2e.command_line import KCTL, Outcome, environment
from tests.e2e.conftest import Kctl
from tests.integration.etcd_install.release_host import ReleaseHost, etcd_script, files_in, running_release_host

pytestmark = pytest.mark.skipif(
    this_platform() not in {release.platform for release in RELEASES}, reason="no etcd release for this platform"
)
NOBODY = "http://127.0.0.1:1"


@pytest.fixture
def release_host() -> Iterator[ReleaseHost]:
    with running_release_host() as host:
        yield host


def script(path: Path, version: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(etcd_script(version))
    path.chmod(0o755)
    return path


def test_path_prints_the_one_that_would_run(run_kctl: Kctl, tmp_path: Path) -> None:
    on_path = script(tmp_path / "bin" / "etcd", "3.5.20")
    other = script(tmp_path / "other", "3.5.21")
    assert run_kctl("etcd", "path") == Outcome(0, f"{on_path}\n", "")
    assert run_kctl("etcd", "path", KCTL_ETCD=str(other)) == Outcome(0, f"{other}\n", "")
    assert run_kctl("etcd", "path", "--etcd", str(other)) == Outcome(0, f"{other}\n", "")


def test_path_fails_with_one_sentence_when_there_is_none(run_kctl: Kctl, tmp_path: Path) -> None:
    expected = (
        f"error: no etcd on PATH or in {tmp_path}/cache/kctl/etcd; "
        "run `kctl etcd install`, or name another with --etcd PATH or KCTL_ETCD\n"
    )
    assert run_kctl("etcd", "path") == Outcome(1, "", expected)


def test_install_says_that_it_is_there_already(run_kctl: Kctl, tmp_path: Path) -> None:
    version = choose_release(RELEASES, platform=this_platform(), version=None).version
    path = script(tmp_path / "cache" / "kctl" / "etcd" / version / "etcd", version)
    expected = f"etcd {version} already installed: {path}\n"
    assert run_kctl("etcd", "install", "--base-url", NOBODY) == Outcome(0, expected, "")


def test_force_downloads_again(run_kctl: Kctl, tmp_path: Path) -> None:
    version = choose_release(RELEASES, platform=this_platform(), version=None).version
    script(tmp_path / "cache" / "kctl" / "etcd" / version / "etcd", version)
    outcome = run_kctl("etcd", "install", "--force", "--base-url", NOBODY)
    assert outcome.code == 1
    assert "can't be reached" in outcome.stderr


def test_without_network_and_apt_install_fails_with_the_address(run_kctl: Kctl) -> None:
    outcome = run_kctl("etcd", "install", "--base-url", NOBODY)
    url = choose_release(RELEASES, platform=this_platform(), version=None).url(NOBODY)
    assert (outcome.code, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith(f"downloading {url}\nerror: {url} can't be reached: ")
    assert outcome.stderr.count("\n") == 2


def test_the_version_and_the_variable_choose_what_is_asked_for(run_kctl: Kctl, release_host: ReleaseHost) -> None:
    outcome = run_kctl("etcd", "install", "--version", "3.6.5", KCTL_ETCD_BASE_URL=release_host.url)
    release = choose_release(RELEASES, platform=this_platform(), version="3.6.5")
    assert release_host.requests == [f"/v3.6.5/{release.archive}"]
    assert outcome.code == 1
    assert outcome.stderr.endswith(f"error: {release.url(release_host.url)} answered 404 Not Found\n")


def test_what_a_lying_host_sends_is_thrown_away(run_kctl: Kctl, release_host: ReleaseHost, tmp_path: Path) -> None:
    release = choose_release(RELEASES, platform=this_platform(), version=None)
    release_host.files[release.url("")] = b"not etcd at all"
    outcome = run_kctl("etcd", "install", "--base-url", release_host.url)
    assert outcome.code == 1
    assert f"instead of {release.sha256}" in outcome.stderr
    assert files_in(tmp_path / "cache") == []


def test_ctrl_c_ends_it_quietly_and_leaves_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent_host:
        process = subprocess.Popen(
            [*KCTL, "etcd", "install", "--base-url", f"http://127.0.0.1:{silent_host.getsockname()[1]}"],
            env=environment(tmp_path, {}),
            stderr=subprocess.PIPE,
            text=True,
        )
        connection, _ = silent_host.accept()
        with connection:
            connection.recv(1)
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert stderr.startswith("downloading ")
    assert stderr.count("\n") == 1
    assert list((tmp_path / "cache" / "kctl" / "etcd").iterdir()) == []
