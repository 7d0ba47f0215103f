"""Typed objects without a server: as Go writes them, and how they merge."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from localplane.apimachinery.patch.strategic import merge, two_way_patch
from localplane.apis.encoding import encoded, encoded_struct
from localplane.apis.patch_nodes import patch_node


def _deployment(**container: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }


def test_a_struct_is_written_in_its_order_with_what_is_never_left_out() -> None:
    shown = encoded(_deployment(image="a", name="c"))
    assert list(shown) == ["kind", "apiVersion", "metadata", "spec", "status"]
    assert shown["spec"] == {
        "selector": None,
        "template": {
            "metadata": {},
            "spec": {"containers": [{"name": "c", "image": "a", "resources": {}}]},
        },
        "strategy": {},
    }
    assert list(shown["spec"]["template"]["spec"]["containers"][0]) == ["name", "image", "resources"]


def test_what_is_empty_or_unknown_is_left_out_unless_a_pointer_says_it() -> None:
    container = encoded_struct("core/v1.Container", {"name": "c", "stdin": False, "args": [], "odd": 1, "image": ""})
    assert container == {"name": "c", "resources": {}}
    spec = encoded_struct("core/v1.PodSpec", {"hostPID": False, "enableServiceLinks": False})
    assert spec == {"containers": None, "enableServiceLinks": False}


def test_quantities_are_written_in_their_shortest_form() -> None:
    resources = encoded_struct("core/v1.ResourceRequirements", {"limits": {"memory": "1024Mi", "cpu": 1}})
    assert resources == {"limits": {"cpu": "1", "memory": "1Gi"}}
    assert list(resources["limits"]) == ["cpu", "memory"]


def test_a_kind_that_nobody_knows_stays_as_it_is() -> None:
    odd = {"apiVersion": "example.com/v1", "kind": "Odd", "b": 1, "a": 2}
    assert encoded(odd) is odd
    assert patch_node(odd) is None


def test_items_of_a_list_are_written_each() -> None:
    items = [_deployment(name="c")]
    assert encoded({"kind": "List", "apiVersion": "v1", "items": items})["items"] == [encoded(items[0])]


def test_containers_merge_by_their_names() -> None:
    before = _deployment(name="c", image="a", env=[{"name": "A", "value": "1"}])
    node = patch_node(before)
    assert node is not None
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "c", "env": [{"name": "B"}]}]}}}}
    after = merge(node, deepcopy(before), patch)
    container = after["spec"]["template"]["spec"]["containers"][0]
    assert (container["image"], [one["name"] for one in container["env"]]) == ("a", ["B", "A"])
    assert two_way_patch(node, before, after)["spec"]["template"]["spec"]["containers"][0]["env"] == [{"name": "B"}]
