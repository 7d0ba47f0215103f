"""A kubeconfig is changed all or nothing, by one program at a time, and nothing that is not ours is lost."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.client.errors import ConfigError
from localplane.client.kubeconfig import edits
from localplane.client.kubeconfig.edits import edit, file_to_edit

STRANGE = """\
# a comment
apiVersion: v1
kind: Config
colour: blue
preferences: {colors: true}
current-context: prod
clusters:
- name: prod
  cluster: {server: "https://prod", x-unknown: {"08": "0o17", day: "2024-01-01"}}
users:
- name: prod
  user: {token: "123", exec: {command: login, env: null}}
contexts:
- name: prod
  context: {cluster: prod, user: prod, namespace: "on"}
"""


def content(path: Path) -> Any:
    return parse_yaml(path.read_bytes()).value


def add_one(document: dict[str, Any]) -> None:
    document["clusters"].append({"name": "ours", "cluster": {"server": "https://ours"}})


def test_every_key_that_nobody_knows_stays(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(STRANGE)
    before = content(path)
    edit(path, add_one)
    after = content(path)
    assert after["clusters"].pop(0) == {"name": "ours", "cluster": {"server": "https://ours"}}
    before["users"][0]["user"]["exec"] |= {"args": None, "provideClusterInfo": False}  # Kubernetes writes them, too
    assert after == before


def test_a_file_that_is_made_is_whole_and_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config"
    edit(path, add_one)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert content(path) | {"clusters": []} == {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [],
        "contexts": None,
        "users": None,
        "current-context": "",
    }
    assert [entry.name for entry in path.parent.iterdir()] == ["config"]


def test_a_file_that_others_could_read_holds_keys_now_so_they_no_longer_can(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(STRANGE)
    path.chmod(0o644)
    edit(path, add_one)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_a_change_the_file_keeps_its_comments(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(STRANGE)
    edit(path, lambda _: None)
    assert path.read_text() == STRANGE


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles", tmp_path / "config"
    real.write_text(STRANGE)
    link.symlink_to(real)
    edit(link, add_one)
    assert link.is_symlink()
    assert len(content(real)["clusters"]) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", 'error loading config file "{path}": yaml: '),
        ("- a\n- b\n", 'error loading config file "{path}": couldn\'t get version/kind; json parse error: '),
        ("kind: Pod\n", 'error loading config file "{path}": no kind "Pod" is registered for version "v1"'),
        ("clusters: many\n", 'error loading config file "{path}": json: cannot unmarshal string into Go struct field '),
    ],
)
def test_what_is_no_kubeconfig_is_left_as_it_is(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        edit(path, add_one)
    assert str(caught.value).startswith(said.format(path=path))
    assert path.read_text() == text
    assert [entry.name for entry in tmp_path.iterdir()] == ["config"]


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config")
    with pytest.raises(ConfigError, match="is no ordinary file"):
        edit(tmp_path / "config", add_one)


def test_an_interrupted_change_leaves_the_file_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(STRANGE)

    def fail(_: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        edit(path, fail)
    assert path.read_text() == STRANGE
    assert [entry.name for entry in tmp_path.iterdir()] == ["config"]


def test_the_lock_of_another_program_is_respected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "_WAIT_FOR_LOCK", 0.05)
    (tmp_path / "config.lock").touch()
    with pytest.raises(ConfigError, match=r"open .*config\.lock: file exists"):
        edit(tmp_path / "config", add_one)
    assert not (tmp_path / "config").exists()


def test_changes_at_the_same_time_are_all_made(tmp_path: Path) -> None:
    path = tmp_path / "config"

    def add(number: int) -> None:
        edit(path, lambda document: document["users"].append({"name": str(number)}))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(user["name"] for user in content(path)["users"]) == [str(number) for number in range(8)]


@pytest.mark.parametrize(
    ("listed", "exist", "chosen"),
    [
        ("a", [], "a"),
        ("a:b", ["a", "b"], "a"),
        ("a:b", ["b"], "b"),
        ("a:b", [], "b"),
        (":a:", [], "a"),
    ],
)
def test_of_several_files_the_one_that_kubectl_would_write(
    listed: str, exist: list[str], chosen: str, tmp_path: Path
) -> None:
    for name in exist:
        (tmp_path / name).touch()
    variable = ":".join(str(tmp_path / name) if name else "" for name in listed.split(":"))
    assert file_to_edit(environment={"KUBECONFIG": variable}) == tmp_path / chosen


def test_without_a_variable_it_is_the_one_in_the_home(tmp_path: Path) -> None:
    assert file_to_edit(environment={"HOME": str(tmp_path)}) == tmp_path / ".kube" / "config"
    assert file_to_edit(tmp_path / "x", environment={"KUBECONFIG": "/other"}) == tmp_path / "x"
