"""What webhooks and policies are shown: subresources, custom resources, other groups, other versions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client import GroupVersionResource, PatchType
from localplane.compose.server import Plane
from tests.integration.admission.reviewing import (
    MUTATING,
    VALIDATING,
    Reviewer,
    config_map,
    configured,
    denied,
    patching,
)
from tests.integration.apiextensions.converting import Webhook, running_webhook
from tests.integration.apiextensions.definitions import DEFINITIONS, custom, definition, of_spec, version, widgets

pytestmark = pytest.mark.asyncio(loop_scope="module")

DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
EVENTS = GroupVersionResource("", "v1", "events")
PODS = GroupVersionResource("", "v1", "pods")


@pytest_asyncio.fixture(loop_scope="module")
async def converter(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Webhook]:
    async with running_webhook(Path(tmp_path_factory.mktemp("converter"))) as webhook:
        yield webhook


def rule(group: str, *resources: str, api_version: str = "v1", operation: str = "CREATE") -> JSONObject:
    return {"apiGroups": [group], "apiVersions": [api_version], "operations": [operation], "resources": [*resources]}


async def test_a_scale_is_shown_as_such(plane: Plane, reviewer: Reviewer) -> None:
    labels = {"app": "a"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    deployments = plane.client.resource(DEPLOYMENTS, "default")
    await deployments.create({"metadata": {"name": "d"}, "spec": spec})
    reviewer.answers["scale"] = patching({"op": "replace", "path": "/spec/replicas", "value": 2})
    webhook = reviewer.webhook("scale", rule=rule("apps", "deployments/scale", operation="UPDATE"))
    async with configured(plane.client, MUTATING, webhook):
        await plane.client.resource(MUTATING).list()  # waits until everybody sees it
        await deployments.patch("d", {"spec": {"replicas": 5}}, PatchType.MERGE, subresource="scale")
    ((_, request),) = reviewer.asked
    assert request["kind"] == {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    assert (request["subResource"], request["resource"]["resource"]) == ("scale", "deployments")
    assert (request["oldObject"]["spec"]["replicas"], request["object"]["spec"]["replicas"]) == (1, 5)
    assert (await deployments.get("d"))["spec"]["replicas"] == 2


async def test_an_eviction_can_be_refused(plane: Plane, reviewer: Reviewer) -> None:
    pods = plane.client.resource(PODS, "default")
    await pods.create({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    reviewer.answers["evict"] = denied(message="stay")
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    async with configured(plane.client, VALIDATING, reviewer.webhook("evict", rule=rule("", "pods/eviction"))):
        with pytest.raises(APIError, match=r"denied the request: stay$"):
            await pods.create(eviction, name="p", subresource="eviction")
    ((_, request),) = reviewer.asked
    assert (request["kind"]["group"], request["kind"]["kind"], request["name"]) == ("policy", "Eviction", "p")


async def test_an_event_is_the_same_in_both_of_its_groups(plane: Plane, reviewer: Reviewer) -> None:
    event = {
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
        "message": "hello",
    }
    async with configured(plane.client, VALIDATING, reviewer.webhook("e", rule=rule("events.k8s.io", "events"))):
        await plane.client.resource(EVENTS, "default").create(event)
    ((_, request),) = reviewer.asked
    assert (request["kind"]["group"], request["requestKind"]["group"]) == ("events.k8s.io", "")
    assert (request["object"]["apiVersion"], request["object"]["note"]) == ("events.k8s.io/v1", "hello")


async def test_a_custom_resource_is_pruned_and_defaulted_after_a_patch(plane: Plane, reviewer: Reviewer) -> None:
    group = "patched.example.com"
    schema = of_spec(size={"type": "integer"}, color={"type": "string", "default": "red"})
    await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", schema)))
    reviewer.answers["cr"] = patching({"op": "replace", "path": "/spec", "value": {"size": 2, "nonsense": 1}})
    async with configured(plane.client, MUTATING, reviewer.webhook("cr", rule=rule(group, "widgets"))):
        made = await widgets(plane.client, group).create(custom(group, "w", {"size": 1, "color": "blue"}))
    assert made["spec"] == {"size": 2, "color": "red"}


async def test_versions_that_a_webhook_converts_are_converted_for_others(
    plane: Plane, reviewer: Reviewer, converter: Webhook
) -> None:
    group = "both.example.com"
    old, new = of_spec(host={"type": "string"}, port={"type": "integer"}), of_spec(address={"type": "string"})
    made = definition(group, version("v1", old), version("v2", new))
    made["spec"]["conversion"] = converter.conversion()
    await plane.client.resource(DEFINITIONS).create(made)
    reviewer.answers["old"] = patching({"op": "replace", "path": "/spec/port", "value": 2})
    async with configured(plane.client, MUTATING, reviewer.webhook("old", rule=rule(group, "widgets"))):
        found = await widgets(plane.client, group, "v2").create(
            custom(group, "w", {"address": "db:1"}, in_version="v2")
        )
    ((_, request),) = reviewer.asked
    assert (request["object"]["apiVersion"], request["object"]["spec"]) == (f"{group}/v1", {"host": "db", "port": 1})
    assert (found["apiVersion"], found["spec"]) == (f"{group}/v2", {"address": "db:2"})


async def test_an_old_review_is_sent_to_those_who_list_it_first(plane: Plane, reviewer: Reviewer) -> None:
    """It need not repeat the uid, and says nothing of the type of its patch."""
    reviewer.answers["beta"] = lambda _: {
        "uid": "",
        "allowed": True,
        "patch": "W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEvYiIsInZhbHVlIjoiMiJ9XQ==",
    }
    webhook = reviewer.webhook("beta", admissionReviewVersions=["v1beta1", "v1"])
    async with configured(plane.client, MUTATING, webhook):
        configs = plane.client.resource(GroupVersionResource("", "v1", "configmaps"), "default")
        made = await configs.create(config_map("old-review", a="1"))
    assert made["data"] == {"a": "1", "b": "2"}
