"""Where `kctl config` writes: the file that an entry comes from, all or nothing, under kubectl's lock."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl
from tests.e2e.kctl.config.conftest import FILE, difference

OTHER = """\
apiVersion: v1
clusters:
- cluster:
    server: https://other
  name: cl1
contexts:
- context:
    cluster: cl9
    user: u9
  name: c9
current-context: c9
kind: Config
users: null
"""


class Two:
    """Two files in KUBECONFIG."""

    def __init__(self, directory: Path, run: Kctl) -> None:
        self.first, self.second = directory / "first", directory / "second"
        self.first.write_text(FILE)
        self.second.write_text(OTHER)
        self._run = run

    def changed(self, *arguments: str) -> tuple[str, str]:
        """In the first and in the second."""
        done = self._run("config", *arguments, KUBECONFIG=f"{self.first}:{self.second}")
        assert (done.code, done.stderr) == (0, "")
        return difference(FILE, self.first.read_text()), difference(OTHER, self.second.read_text())


@pytest.fixture
def two(tmp_path: Path, run_kctl: Kctl) -> Two:
    return Two(tmp_path, run_kctl)


def test_an_entry_is_changed_in_the_file_that_it_comes_from(two: Two) -> None:
    assert two.changed("set-context", "c9", "-n", "green") == ("", "+    namespace: green")


def test_a_new_entry_goes_into_the_first_file(two: Two) -> None:
    assert two.changed("set-context", "new") == ('+- context:\n+    cluster: ""\n+    user: ""\n+  name: new', "")


def test_of_an_entry_that_both_have_the_first_is_deleted(two: Two) -> None:
    first, second = two.changed("delete-cluster", "cl1")
    assert first.startswith("-- cluster:\n")
    assert second == ""


def test_the_current_context_is_written_into_the_first_file(two: Two) -> None:
    assert two.changed("use-context", "c9") == ("-current-context: c1\n+current-context: c9", "")


def test_the_current_context_is_cleared_where_it_is_set(two: Two) -> None:
    two.first.write_text(FILE.replace("current-context: c1", 'current-context: ""'))
    _, second = two.changed("unset", "current-context")
    assert second == '-current-context: c9\n+current-context: ""'


def test_of_files_that_are_not_there_the_last_is_made(run_kctl: Kctl, tmp_path: Path) -> None:
    done = run_kctl("config", "set-context", "x", KUBECONFIG="a:b")
    assert done.stdout == 'Context "x" created.\n'
    assert [(tmp_path / name).exists() for name in ("a", "b")] == [False, True]


def test_what_nobody_knows_stays_and_secrets_become_private(run_kctl: Kctl, tmp_path: Path) -> None:
    file = tmp_path / "k"
    file.write_text(FILE + "mine: kept\n")
    file.chmod(0o644)
    assert run_kctl("config", "use-context", "c2", KUBECONFIG="k").code == 0
    assert "mine: kept\n" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith((".", "k"))) == ["k"]


def test_a_link_stays_a_link(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "real").write_text(FILE)
    (tmp_path / "k").symlink_to("real")
    assert run_kctl("config", "use-context", "c2", KUBECONFIG="k").code == 0
    assert (tmp_path / "k").is_symlink()
    assert "current-context: c2\n" in (tmp_path / "real").read_text()


def test_a_change_waits_for_the_lock_of_another_program(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "k").write_text(FILE)
    lock = tmp_path / "k.lock"
    lock.touch()
    threading.Timer(0.5, lock.unlink).start()
    assert run_kctl("config", "use-context", "c2", KUBECONFIG="k") == Outcome(0, 'Switched to context "c2".\n', "")


def test_a_lock_that_nobody_lets_go_is_an_error(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "k").write_text(FILE)
    (tmp_path / "k.lock").touch()
    assert run_kctl("config", "use-context", "c2", KUBECONFIG="k") == Outcome(
        1, "", "error: open k.lock: file exists\n"
    )
    assert (tmp_path / "k").read_text() == FILE


def test_a_broken_file_is_not_overwritten(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "k").write_text("a: b: c\n")
    assert run_kctl("config", "set-context", "x", KUBECONFIG="k") == Outcome(
        1, "", 'error: error loading config file "k": yaml: mapping values are not allowed in this context\n'
    )
    assert (tmp_path / "k").read_text() == "a: b: c\n"


def test_paths_are_relative_to_the_file_they_are_in(run_kctl: Kctl, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    line = ("config", "set-cluster", "x", "--kubeconfig", "sub/k", "--certificate-authority")
    assert run_kctl(*line, "sub/ca.crt").code == 0
    assert "certificate-authority: ca.crt\n" in (tmp_path / "sub/k").read_text()
    assert run_kctl(*line, "ca.crt").code == 0
    assert f"certificate-authority: {tmp_path}/ca.crt\n" in (tmp_path / "sub/k").read_text()
