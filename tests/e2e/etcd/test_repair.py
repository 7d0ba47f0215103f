"""`kctl etcd repair`: on a plane that is up, on one that is down, and on an etcd that others run."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.etcd.filling import fill, names
from tests.e2e.up.machine import Machine, until
from tests.e2e.up.test_flags import ask_for_users, running_cluster
from tests.faults.certificates import certificates

SIZES = r"\d+ \w+B before, \d+ \w+B now"


@pytest.fixture
def full_cluster(here: Machine, etcd: str, tmp_path: Path) -> Iterator[str]:
    """An etcd that others run, filled through a plane that uses it."""
    with running_cluster(etcd, tmp_path, "--quota-backend-bytes", str(16 << 20)) as url:
        here.up("--etcd-servers", url)
        refused = fill(here)
        assert f"run `kctl etcd repair --etcd-servers {url}`" in refused.stderr
        yield url


def test_a_full_cluster_says_what_to_do_and_is_repaired_when_it_is_told(here: Machine, full_cluster: str) -> None:
    ready = here.kctl("get", "--raw", "/readyz/etcd")
    assert (ready.code, "run `kctl etcd repair --etcd-servers" in here.kctl("status").stdout) == (1, True)
    assert here.kctl("create", "configmap", "refused").code == 1

    repaired = here.kctl("etcd", "repair", "--etcd-servers", full_cluster)
    assert repaired.code == 0, repaired.stderr
    assert re.fullmatch(
        r"etcd is repaired\n"
        r"  history   compacted up to revision \d+\n"
        rf"  file      {re.escape(full_cluster)}: {SIZES}\n"
        r"  alarm     NOSPACE is disarmed\n",
        repaired.stdout,
    )
    until(lambda: here.kctl("create", "configmap", "taken").code == 0)
    until(lambda: here.kctl("status").code == 0)
    assert {"large", "taken"} <= {*names(here)}

    again = here.kctl("etcd", "repair", "--etcd-servers", full_cluster)
    assert (again.code, again.stdout.endswith("  alarm     NOSPACE was not set\n")) == (0, True)


def test_a_start_on_a_full_cluster_succeeds_or_says_what_to_do(here: Machine, full_cluster: str) -> None:
    here.kctl("down")
    started = here.kctl("up", "-d", "--port", "0", "--etcd-servers", full_cluster, "--timeout", "20s")
    if started.code:
        assert f"run `kctl etcd repair --etcd-servers {full_cluster}`" in started.stderr
    here.kctl("down")
    assert here.kctl("etcd", "repair", "--etcd-servers", full_cluster).code == 0
    here.up("--etcd-servers", full_cluster)
    assert "large" in names(here)


def test_the_etcd_of_a_plane_is_repaired_while_it_is_up_and_while_it_is_down(here: Machine, etcd: str) -> None:
    here.up("--data-dir", "data", "--storage", "etcd", "--etcd", etcd)
    assert here.kctl("create", "configmap", "kept").code == 0
    expected = re.compile(
        r"etcd is repaired\n"
        r"  history   compacted up to revision \d+\n"
        rf"  file      unix:///\S+/client\.sock: {SIZES}\n"
        r"  alarm     NOSPACE was not set\n"
    )
    for place in (["--name", "default"], ["--data-dir", "data"], []):
        done = here.kctl("etcd", "repair", *place)
        assert expected.fullmatch(done.stdout), done
    assert "kept" in names(here)
    here.kctl("down")
    done = here.kctl("etcd", "repair", "--data-dir", "data", "--etcd", etcd)
    assert expected.fullmatch(done.stdout), done
    missing = here.kctl("etcd", "repair", "--data-dir", "data", "--etcd", "/nowhere/etcd")
    assert (missing.code, "/nowhere/etcd" in missing.stderr) == (1, True)
    here.up("--data-dir", "data", "--storage", "etcd", "--etcd", etcd)
    assert "kept" in names(here)


def test_a_full_etcd_is_repaired_offline(here: Machine, etcd: str) -> None:
    """As a plane leaves it that was killed before it could do so itself."""
    here.up("--storage", "etcd", "--etcd", etcd, "--data-dir", "data")
    here.kctl("down")
    data = here.home / "data" / "etcd"
    with running_cluster(etcd, here.home, "--quota-backend-bytes", str(16 << 20)) as url:
        here.up("--etcd-servers", url)
        fill(here)
        here.kctl("down", "--force")
    shutil.rmtree(data)
    (here.home / "cluster").rename(data)
    done = here.kctl("etcd", "repair", "--data-dir", "data", "--etcd", etcd)
    assert (done.code, done.stdout.endswith("  alarm     NOSPACE is disarmed\n")) == (0, True), done


def test_a_cluster_with_mutual_tls_is_repaired_with_all_three_files(here: Machine, etcd: str, tmp_path: Path) -> None:
    made = certificates(tmp_path)
    flags = ["--cert-file", str(made.server), "--key-file", str(made.server_key)]
    flags += ["--trusted-ca-file", str(made.authority), "--client-cert-auth"]
    trust = ["--etcd-cafile", str(made.authority)]
    identity = ["--etcd-certfile", str(made.client), "--etcd-keyfile", str(made.client_key)]
    with running_cluster(etcd, tmp_path, *flags, scheme="https") as url:
        for incomplete in (identity, trust):
            done = here.kctl("etcd", "repair", "--etcd-servers", url, *incomplete)
            assert (done.code, done.stdout) == (1, "")
        done = here.kctl("etcd", "repair", "--etcd-servers", url, *trust, *identity)
        assert (done.code, done.stderr) == (0, "")


def test_a_cluster_that_asks_for_users_is_repaired_with_a_name_and_a_password(
    here: Machine, etcd: str, tmp_path: Path
) -> None:
    password = tmp_path / "password"
    password.write_text("secret\n")
    with running_cluster(etcd, tmp_path) as url:
        ask_for_users(url, "root", "secret")
        refused = here.kctl("etcd", "repair", "--etcd-servers", url)
        assert (refused.code, "user name is empty" in refused.stderr) == (1, True)
        who = ["--etcd-user", "root"]
        done = here.kctl("etcd", "repair", "--etcd-servers", url, *who, "--etcd-password-file", str(password))
        assert (done.code, done.stderr) == (0, "")
        done = here.kctl("etcd", "repair", "--etcd-servers", url, *who, KCTL_ETCD_PASSWORD="secret")
        assert (done.code, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--data-dir", "nowhere"), "error: {home}/nowhere is no data directory of a plane: name it with --data-dir\n"),
        (("--name", "other"), "error: {state}/other is no data directory of a plane: name it with --data-dir\n"),
        (("--name", "a", "--data-dir", "b"), "error: --name and --data-dir contradict one another: say one of them\n"),
        (
            ("--name", "a", "--etcd-servers", "http://127.0.0.1:1"),
            "error: --etcd-servers and --name contradict one another: a cluster is no plane's own etcd\n",
        ),
        (
            ("--etcd-cafile", "ca.crt"),
            "error: --etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers\n",
        ),
        (("--etcd-user", "root"), "error: --etcd-user and --etcd-password-file are for --etcd-servers\n"),
    ],
)
def test_what_can_not_be_repaired_is_told(here: Machine, arguments: tuple[str, ...], said: str) -> None:
    expected = said.format(home=here.home, state=here.state)
    assert here.kctl("etcd", "repair", *arguments) == Outcome(1, "", expected)


def test_a_cluster_that_is_away_is_told(here: Machine) -> None:
    done = here.kctl("etcd", "repair", "--etcd-servers", "http://127.0.0.1:1")
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith("error: etcd: can't be reached: http://127.0.0.1:1: ")


def test_a_member_that_is_away_is_named_and_the_others_are_repaired(here: Machine, etcd: str, tmp_path: Path) -> None:
    with running_cluster(etcd, tmp_path) as url:
        done = here.kctl("etcd", "repair", "--etcd-servers", f"{url},http://127.0.0.1:1")
    assert done.code == 1
    assert re.search(rf"  file      {re.escape(url)}: {SIZES}\n  file      http://127.0.0.1:1: not defrag", done.stdout)
    assert done.stderr.startswith("error: http://127.0.0.1:1: etcd: can't be reached")


def test_a_plane_on_a_cluster_has_no_etcd_of_its_own_to_repair(here: Machine, etcd: str, tmp_path: Path) -> None:
    with running_cluster(etcd, tmp_path) as url:
        here.up("--etcd-servers", url)
        done = here.kctl("etcd", "repair")
        assert (done.code, f"at {url}: name its servers with --etcd-servers\n" in done.stderr) == (1, True)
        here.kctl("down")


def test_sqlite_needs_no_repair(here: Machine) -> None:
    here.up("--storage", "sqlite")
    done = here.kctl("etcd", "repair")
    assert (done.code, "holds no etcd: only etcd has a quota" in done.stderr) == (1, True)
