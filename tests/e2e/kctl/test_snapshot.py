"""`kctl snapshot` and `kctl branch`: one plane is saved, changed and put back, and another begins as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.up.machine import Machine, machine


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    with machine(tmp_path_factory.mktemp("snapshots")) as one:
        one.up("--storage", "sqlite", "--controllers", "none")
        yield one


def _names(here: Machine, *flags: str) -> list[str]:
    return here.kctl("get", "configmaps", "-o", "name", *flags).stdout.split()


def _told(done: Outcome) -> Outcome:
    """Without what is another in each run."""
    return Outcome(done.code, re.sub(r"\d+(\.\d)?", "N", done.stdout), done.stderr)


def test_a_plane_is_saved_changed_and_put_back(here: Machine, tmp_path: Path) -> None:
    assert here.kctl("create", "configmap", "kept").code == 0
    saved = _told(here.kctl("snapshot", "save", "before"))
    assert saved == Outcome(0, "before saved: N objects at revision N, N KiB\n", "")
    file = here.home / ".local/state/kctl/.snapshots/before.snapshot"
    assert file.stat().st_mode & 0o777 == 0o600
    assert here.kctl("delete", "configmap", "kept").code == 0
    assert here.kctl("create", "configmap", "later").code == 0
    restored = _told(here.kctl("snapshot", "restore", "before"))
    assert restored == Outcome(0, "restored before: N objects; the plane is at revision N\n", "")
    assert _names(here) == ["configmap/kept"]

    again = here.kctl("snapshot", "save", "before")
    assert again == Outcome(1, "", f"error: {file} is there already: choose another name, or say --force\n")
    assert here.kctl("snapshot", "save", "before", "--force").code == 0
    assert here.kctl("snapshot", "save", str(tmp_path / "a.snapshot")).code == 0
    listed = json.loads(here.kctl("snapshot", "list", "-o", "json").stdout)
    assert [(each["name"], each["plane"], each["file"]) for each in listed] == [("before", "kctl-default", str(file))]
    assert here.kctl("snapshot", "list", "--output", "name").stdout == "before\n"
    lines = here.kctl("snapshot", "list").stdout.splitlines()
    assert lines[0].split() == ["NAME", "PLANE", "REVISION", "OBJECTS", "SIZE", "AGE"]
    assert lines[1].split()[:2] == ["before", "kctl-default"]
    offered = here.kctl("__complete", "snapshot", "restore", "")
    assert offered.stdout.splitlines()[0] == "before"

    damaged = tmp_path / "damaged.snapshot"
    damaged.write_bytes(file.read_bytes()[:-40])
    refused = here.kctl("snapshot", "restore", str(damaged))
    assert refused == Outcome(1, "", f"error: {damaged} is damaged or not complete: its checksum is wrong\n")
    damaged.write_bytes(b"kind: List")
    assert here.kctl("up", "--name", "x", "--from", str(damaged)).stderr == f"error: {damaged} is not a snapshot\n"
    assert _names(here) == ["configmap/kept"]
    removed = here.kctl("snapshot", "rm", "before", "nope")
    assert removed == Outcome(1, "before removed\n", 'error: there is no snapshot "nope": see `kctl snapshot list`\n')
    assert here.kctl("snapshot", "list").stderr == "No snapshots are saved.\n"


def test_a_branch_begins_as_the_plane_is_and_goes_its_own_way(here: Machine, tmp_path: Path) -> None:
    assert here.kctl("create", "configmap", "shared").code == 0
    branch = here.kctl("branch", "trial", "--", "--storage", "sqlite", "--controllers", "none", "--no-switch-context")
    assert branch.code == 0, branch.stderr
    assert "configmap/shared" in _names(here, "--context", "kctl-trial")
    assert here.kctl("--context", "kctl-trial", "delete", "configmap", "shared").code == 0
    assert "configmap/shared" in _names(here)
    taken = here.kctl("branch", "trial")
    assert taken.stderr.startswith('error: plane "trial" is up already: choose another name')
    already = here.kctl("up", "-d", "--name", "trial", "--from", str(tmp_path / "none.snapshot"))
    assert already.stderr.startswith('error: plane "trial" is up already, and --from is for a new one')
    file = tmp_path / "trial.snapshot"
    assert here.kctl("snapshot", "save", "--name", "trial", str(file)).code == 0
    assert here.kctl("--context", "kctl-trial", "create", "configmap", "later").code == 0
    assert here.kctl("down", "--name", "trial").code == 0

    down = tmp_path / "down.snapshot"
    assert here.kctl("snapshot", "save", "--name", "trial", str(down)).code == 0
    assert b"/configmaps/default/later" in down.read_bytes()
    assert here.kctl("snapshot", "restore", "--name", "trial", str(file)).code == 0
    assert here.kctl("snapshot", "save", "--name", "trial", str(down), "--force").code == 0
    assert b"/configmaps/default/later" not in down.read_bytes()
    again = here.kctl("up", "-d", "--name", "trial", "--from", str(file))
    assert again.code == 1
    assert "there is a cluster already, and --from is for a new one" in again.stderr
    nothing = here.kctl("snapshot", "save", "--name", "nowhere", "x")
    assert 'plane "nowhere" is down and keeps no data' in nothing.stderr
