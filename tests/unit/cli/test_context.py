"""A plane's context comes and goes, and leaves the user's kubeconfig as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.cli.context import Left, SwitchContext, add_context, context_before, current_context, remove_context
from localplane.client.kubeconfig.edits import edit

PROD = """\
apiVersion: v1
kind: Config
current-context: prod
clusters: [{name: prod, cluster: {server: "https://prod"}}]
contexts: [{name: prod, context: {cluster: prod, user: prod}}]
users: [{name: prod, user: {token: t}}]
"""

Plane = Callable[[str], Path]


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config"
    path.write_text(PROD)
    monkeypatch.setenv("KUBECONFIG", str(path))
    return path


@pytest.fixture
def plane(tmp_path: Path) -> Plane:
    """A plane's own kubeconfig."""

    def write(name: str, url: str = "https://127.0.0.1:6443") -> Path:
        path = tmp_path / f"{name}.json"
        document = {
            "clusters": [{"name": name, "cluster": {"server": url}}],
            "users": [{"name": name, "user": {"token": "secret"}}],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }
        path.write_bytes(orjson.dumps(document))
        return path

    return write


def document(path: Path) -> Any:
    return parse_yaml(path.read_bytes()).value


def names(path: Path) -> list[str]:
    return [entry["name"] for entry in document(path)["contexts"]]


def use(path: Path, name: str) -> None:
    edit(path, lambda content: content.update({"current-context": name}))


def test_it_comes_and_goes(config: Path, plane: Plane) -> None:
    before = document(config)
    assert add_context(plane("kctl-a"), switch=SwitchContext.ALWAYS).before == "prod"
    assert current_context() == "kctl-a"
    assert names(config) == ["kctl-a", "prod"]
    remove_context(config, "kctl-a")
    assert document(config) == before


def test_without_the_switch_the_current_one_stays(config: Path, plane: Plane) -> None:
    add_context(plane("kctl-a"), switch=SwitchContext.NEVER)
    assert current_context() == "prod"
    assert "kctl-a" in names(config)
    remove_context(config, "kctl-a")
    assert current_context() == "prod"


def test_a_context_that_somebody_chose_meanwhile_stays(config: Path, plane: Plane) -> None:
    add_context(plane("kctl-a"), switch=SwitchContext.ALWAYS)
    use(config, "other")
    remove_context(config, "kctl-a")
    assert document(config)["current-context"] == "other"


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_planes_may_end_in_any_order(order: tuple[str, str], config: Path, plane: Plane) -> None:
    add_context(plane("kctl-a"), switch=SwitchContext.ALWAYS)
    add_context(plane("kctl-b"), switch=SwitchContext.ALWAYS)
    for name in order:
        remove_context(config, f"kctl-{name}")
    assert current_context() == "prod"


def test_after_a_kill_the_context_before_is_not_forgotten(config: Path, plane: Plane) -> None:
    add_context(plane("kctl-a"), switch=SwitchContext.ALWAYS)
    assert add_context(plane("kctl-a"), switch=SwitchContext.ALWAYS).before == "prod"
    remove_context(config, "kctl-a")
    assert current_context() == "prod"


def test_what_somebody_added_to_the_context_survives_a_restart(config: Path, plane: Plane) -> None:
    add_context(plane("kctl-a"), switch=SwitchContext.ALWAYS)

    def choose_namespace(content: dict[str, Any]) -> None:
        content["contexts"][1]["context"]["namespace"] = "mine"

    edit(config, choose_namespace)
    add_context(plane("kctl-a"), switch=SwitchContext.ALWAYS)
    assert document(config)["contexts"][1]["context"]["namespace"] == "mine"


def test_a_context_before_that_is_gone_is_not_restored(config: Path, plane: Plane) -> None:
    add_context(plane("kctl-a"), switch=SwitchContext.ALWAYS)
    edit(config, lambda content: content.update(contexts=content["contexts"][1:]))
    remove_context(config, "kctl-a")
    assert document(config)["current-context"] == ""


def test_the_file_that_was_named_is_the_one_that_changes(config: Path, plane: Plane, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert add_context(plane("kctl-a"), switch=SwitchContext.ALWAYS, into=other).into == other
    assert config.read_text() == PROD
    assert names(other) == ["kctl-a"]


def test_by_default_no_other_cluster_becomes_current_behind_a_running_script(config: Path, plane: Plane) -> None:
    before = document(config)
    assert add_context(plane("kctl-a"), switch=SwitchContext.AUTO).before == "prod"
    assert current_context() == "kctl-a"
    assert context_before(config, "kctl-a") == "prod"
    left = remove_context(config, "kctl-a")
    assert left == Left("", "prod")
    assert left.sentence() == "No context is current; prod was, before it: `kctl ctx prod` goes back."
    assert document(config) == before | {"current-context": ""}


def test_by_default_another_plane_becomes_current_again(config: Path, plane: Plane) -> None:
    for name in ("kctl-a", "kctl-b"):
        add_context(plane(name), switch=SwitchContext.AUTO)
    left = remove_context(config, "kctl-b")
    assert left == Left("kctl-a", "kctl-a")
    assert left.sentence() == "The current context is kctl-a again."


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_by_default_planes_that_end_in_any_order_leave_none_current(
    order: tuple[str, str], config: Path, plane: Plane
) -> None:
    for name in ("kctl-a", "kctl-b"):
        add_context(plane(name), switch=SwitchContext.AUTO)
    for name in order:
        remove_context(config, f"kctl-{name}")
    assert current_context() == ""
    assert names(config) == ["prod"]


def test_of_a_context_that_was_not_current_nothing_is_said(config: Path, plane: Plane) -> None:
    add_context(plane("kctl-a"), switch=SwitchContext.NEVER)
    assert context_before(config, "kctl-a") == ""
    left = remove_context(config, "kctl-a")
    assert left == Left("prod")
    assert left.sentence() == ""
