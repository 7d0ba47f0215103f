"""What `kctl set` changes in pod templates."""

from __future__ import annotations

import pytest

from kctl.changes.set import variables
from kctl.changes.set.patches import patch_of, pod_spec, selected
from kctl.errors import KctlError

SPEC = {"containers": [{"name": "web"}, {"name": "web-proxy"}], "initContainers": [{"name": "init"}]}

PATTERNS = [("*", ["web", "web-proxy", "init"]), ("web", ["web"]), ("*proxy", ["web-proxy"]), ("nobody", [])]


@pytest.mark.parametrize(("pattern", "names"), PATTERNS, ids=[pattern for pattern, _ in PATTERNS])
def test_containers_are_chosen_by_name_or_pattern(pattern: str, names: list[str]) -> None:
    assert [one["name"] for one in selected(SPEC, pattern)] == names


def test_a_variable_keeps_its_place_when_it_changes() -> None:
    before = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "C", "value": "3"}]
    changes = variables.parse(["D=4", "A=9", "B-"])
    assert variables.updated(before, changes.set, changes.removed) == [
        {"name": "A", "value": "9"},
        {"name": "C", "value": "3"},
        {"name": "D", "value": "4"},
    ]


def test_a_variable_can_not_be_set_and_removed_at_once() -> None:
    with pytest.raises(KctlError, match=r"^can not both modify and remove the same environment variable"):
        variables.parse(["A=1", "A-"])


def test_without_overwrite_another_value_is_refused() -> None:
    with pytest.raises(KctlError, match=r"^'A' already has a value \(1\), and --overwrite is false$"):
        variables.check_overwrites([{"name": "A", "value": "1"}], [{"name": "A", "value": "2"}])


def test_only_what_differs_is_sent_and_lists_merge_by_name() -> None:
    def change(obj: dict[str, object]) -> bool:
        pod_spec(obj)["containers"][1]["image"] = "b:2"
        return True

    containers = [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": {"containers": containers}}}}
    assert patch_of(obj, change) == {
        "spec": {
            "template": {
                "spec": {
                    "$setElementOrder/containers": [{"name": "a"}, {"name": "b"}],
                    "containers": [{"name": "b", "image": "b:2"}],
                }
            }
        }
    }


def test_a_kind_without_pods_is_named_as_go_names_it() -> None:
    with pytest.raises(KctlError, match=r"does not have a pod template: \*v1.ConfigMap$"):
        pod_spec({"apiVersion": "v1", "kind": "ConfigMap"})
