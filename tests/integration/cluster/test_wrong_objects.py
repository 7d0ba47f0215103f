"""What is wrong with an object is told as a real server tells it: in Go's words, and in its order."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import APIError
from localplane.client import GroupVersionResource, PatchType
from localplane.compose.server import Plane

pytestmark = pytest.mark.asyncio(loop_scope="module")

PODS = GroupVersionResource("", "v1", "pods")
SECRETS = GroupVersionResource("", "v1", "secrets")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
CRON_JOBS = GroupVersionResource("batch", "v1", "cronjobs")
INGRESSES = GroupVersionResource("networking.k8s.io", "v1", "ingresses")
ROLES = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterroles")
DEFINITIONS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
CLASSES = GroupVersionResource("resource.k8s.io", "v1", "deviceclasses")


async def refusal(plane: Plane, resource: GroupVersionResource, namespace: str, obj: dict[str, Any]) -> str:
    with pytest.raises(APIError) as refused:
        await plane.client.resource(resource, namespace).create({"metadata": {"name": "x"}, **obj})
    return refused.value.message


@pytest.mark.parametrize(
    ("resource", "obj", "said"),
    [
        (
            PODS,
            {"spec": {"restartPolicy": {}}},
            "object into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy",
        ),
        (
            PODS,
            {"spec": {"volumes": [{"emptyDir": "x"}]}},
            "string into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource",
        ),
        (
            PODS,
            {"spec": {"containers": [{"resources": {"limits": True}}]}},
            "bool into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList",
        ),
        (
            PODS,
            {"spec": {"dnsConfig": 1, "hostAliases": [{"hostnames": 1}], "os": {"name": 1}}},
            "number into Go struct field PodSpec.spec.dnsConfig of type v1.PodDNSConfig",
        ),
        (
            INGRESSES,
            {"spec": {"rules": [{"http": 1}]}},
            "number into Go struct field IngressRule.spec.rules.IngressRuleValue.http of type v1.HTTPIngressRuleValue",
        ),
        (SECRETS, {"data": {"a": ["x"]}}, "string into Go struct field Secret.data of type uint8"),
        (SECRETS, {"data": {"a": [256]}}, "number 256 into Go struct field Secret.data of type uint8"),
    ],
)
async def test_a_wrong_type_is_told_by_its_name_in_go(
    plane: Plane, resource: GroupVersionResource, obj: dict[str, Any], said: str
) -> None:
    assert (await refusal(plane, resource, "default", obj)).endswith(f"json: cannot unmarshal {said}")


async def test_bytes_may_be_numbers_and_null_is_none_of_them(plane: Plane) -> None:
    secret = {"metadata": {"name": "bytes"}, "data": {"list": [104, 105], "null": None, "empty": []}}
    made = await plane.client.resource(SECRETS, "default").create(secret)
    assert made["data"] == {"list": "aGk=", "null": "", "empty": ""}


async def test_what_is_declared_required_is_told_last(plane: Plane) -> None:
    rule: dict[str, Any] = {"rules": [{}]}
    assert await refusal(plane, ROLES, "", rule) == (
        'ClusterRole.rbac.authorization.k8s.io "x" is invalid: ['
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group, "
        "rules[0].resources: Required value: resource rules must supply at least one resource, "
        "rules[0].verbs: Required value]"
    )
    assert (await refusal(plane, CRON_JOBS, "default", {"spec": {}})).endswith(", spec.schedule: Required value]")


async def test_a_definition_whose_version_has_no_name_is_refused(plane: Plane) -> None:
    version = {"served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    names = {"plural": "shirts", "kind": "Shirt"}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    definition = {"metadata": {"name": "shirts.example.com"}, "spec": spec}
    assert "spec.versions[0].name: Invalid value" in await refusal(plane, DEFINITIONS, "", definition)
    version["name"] = "V1"
    assert "spec.version: Invalid value" in await refusal(plane, DEFINITIONS, "", definition)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("device.driver", "must evaluate to bool or the unknown type, not string"),
        (
            "device.size > 1",
            "compilation failed: ERROR: <input>:1:7: undefined field 'size'\n | device.size > 1\n | ......^",
        ),
        (
            "cel.bind(1, 2, 3)",
            (
                "compilation failed: ERROR: <input>:1:10: cel.bind() variable names must be simple identifiers"
                "\n | cel.bind(1, 2, 3)\n | .........^"
            ),
        ),
    ],
)
async def test_a_selector_of_devices_is_compiled(plane: Plane, expression: str, said: str) -> None:
    found = await refusal(plane, CLASSES, "", {"spec": {"selectors": [{"cel": {"expression": expression}}]}})
    assert found.endswith(f": {said}")


@pytest.mark.parametrize(
    "expression",
    [
        'device.driver == "a"',
        'device.attributes["a"].b',
        'cel.bind(x, device.capacity["a"].b, x.isGreaterThan(quantity("1")))',
    ],
)
async def test_a_selector_of_devices_may_ask_what_a_device_tells(plane: Plane, expression: str) -> None:
    made = {"metadata": {"name": "good"}, "spec": {"selectors": [{"cel": {"expression": expression}}]}}
    await plane.client.resource(CLASSES).create(made)
    await plane.client.resource(CLASSES).delete("good")


def _deployment(**container: Any) -> dict[str, Any]:
    labels = {"a": "b"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


async def test_an_applied_element_without_its_key_has_the_keys_default(plane: Plane) -> None:
    deployments = plane.client.resource(DEPLOYMENTS, "default")
    with pytest.raises(APIError) as refused:
        await deployments.patch("web", _deployment(image="i"), PatchType.APPLY, field_manager="m")
    assert refused.value.code == 422
    with pytest.raises(APIError) as unknown:
        await deployments.patch("web", _deployment(image="i", zzz=1), PatchType.APPLY, field_manager="m")
    assert unknown.value.message.endswith('.spec.template.spec.containers[name=""].zzz: field not declared in schema')


async def test_a_definition_with_lists_and_maps_can_be_applied(plane: Plane) -> None:
    """Their schemas may be something else than a schema, which is nothing that ownership could look into."""
    text = {"type": "string"}
    fields = {"list": {"type": "array", "items": text}, "map": {"type": "object", "additionalProperties": text}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": fields}}
    spec = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "coats", "kind": "Coat"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
    }
    metadata = {"name": "coats.example.com"}
    definition = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata}
    applied = await plane.client.resource(DEFINITIONS).patch(
        "coats.example.com", {**definition, "spec": spec}, PatchType.APPLY, field_manager="m"
    )
    assert applied["spec"]["versions"][0]["schema"] == schema
    # And so can an object of it, in which a null is looked at: only what is created or replaced may leave one out so.
    coats = plane.client.resource(GroupVersionResource("example.com", "v1", "coats"), "default")
    coat = {"apiVersion": "example.com/v1", "kind": "Coat", "metadata": {"name": "red"}, "list": ["a"], "map": None}
    with pytest.raises(APIError) as refused:
        await coats.patch("red", coat, PatchType.APPLY, field_manager="m")
    assert refused.value.message.endswith('map: Invalid value: "null": map in body must be of type object: "null"')
    assert "map" not in await coats.create(coat)


async def test_one_address_block_of_a_node_is_the_first_of_several(plane: Plane) -> None:
    nodes = plane.client.resource(GroupVersionResource("", "v1", "nodes"))
    for spec in ({"podCIDR": "10.2.0.0/24"}, {"podCIDRs": ["10.2.0.0/24"]}):
        made = await nodes.create({"metadata": {"name": "n"}, "spec": spec})
        assert (made["spec"]["podCIDR"], made["spec"]["podCIDRs"]) == ("10.2.0.0/24", ["10.2.0.0/24"])
        await nodes.delete("n")


async def test_what_a_patch_brought_is_shown_sorted(plane: Plane) -> None:
    roles = plane.client.resource(ROLES)
    rule = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
    await roles.create({"metadata": {"name": "patched"}, "rules": [rule]})
    with pytest.raises(APIError) as refused:
        await roles.patch("patched", {"rules": [{**rule, "resources": [["x"]]}]}, PatchType.MERGE)
    assert '\\"rules\\":[{\\"apiGroups\\":[\\"\\"],\\"resources\\":[[\\"x\\"]],\\"verbs\\":[\\"get\\"]}]' in (
        refused.value.message
    )
