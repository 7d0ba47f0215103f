"""Scale: the number of replicas under a name of its own, whatever the kind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog import apps
from localplane.catalog.core.replication_controllers import REPLICATION_CONTROLLERS
from localplane.catalog.declarations import group
from tests.integration.api.talk import API

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SETS = "/apis/apps/v1/namespaces/default/statefulsets"
CONTROLLERS = "/api/v1/namespaces/default/replicationcontrollers"
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


@pytest.fixture
async def api() -> AsyncIterator[API]:
    api = await API.start([group("apps", *apps.RESOURCES), group("", REPLICATION_CONTROLLERS)])
    yield api
    await api.close()


async def create(api: API, path: str, **spec: Any) -> JSONObject:
    selector: JSONObject = {"app": "a"} if path == CONTROLLERS else {"matchLabels": {"app": "a"}}
    body = {"metadata": {"name": "x"}, "spec": {"selector": selector, "template": TEMPLATE, **spec}}
    reply = await api.post(path, body)
    assert reply.status == 201, reply.data
    created: JSONObject = reply.body
    return created


@pytest.mark.parametrize("path", [DEPLOYMENTS, SETS, CONTROLLERS])
async def test_every_kind_with_replicas_shows_the_same_scale(api: API, path: str) -> None:
    created = await create(api, path, replicas=3)
    scale = (await api.get(f"{path}/x/scale")).body
    assert (scale["kind"], scale["apiVersion"]) == ("Scale", "autoscaling/v1")
    assert scale["spec"] == {"replicas": 3}
    assert scale["status"] == {"replicas": 0, "selector": "app=a"}
    assert scale["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]
    assert scale["metadata"].keys() == {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}


async def test_scaling_changes_the_object_and_nothing_else_of_it(api: API) -> None:
    created = await create(api, DEPLOYMENTS)
    change = {"spec": {"replicas": 0}, "metadata": {"labels": {"a": "b"}}}
    scaled = await api.merge(f"{DEPLOYMENTS}/x/scale", change)
    assert (scaled.status, scaled.body["spec"]) == (200, {})
    found = (await api.get(f"{DEPLOYMENTS}/x")).body
    assert found["spec"] == created["spec"] | {"replicas": 0}
    assert found["metadata"]["generation"] == 2
    assert "labels" not in found["metadata"]


async def test_a_negative_number_is_refused_as_a_scale(api: API) -> None:
    await create(api, DEPLOYMENTS)
    reply = await api.put(f"{DEPLOYMENTS}/x/scale", {"metadata": {"name": "x"}, "spec": {"replicas": -1}})
    assert reply.error == (
        422,
        "Invalid",
        'Scale.autoscaling "x" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    )


@pytest.mark.parametrize("claimed", [{"resourceVersion": "999999"}, {"uid": "somebody-else"}])
async def test_a_scale_of_another_version_or_object_is_a_conflict(api: API, claimed: JSONObject) -> None:
    await create(api, DEPLOYMENTS)
    scale = {"metadata": {"name": "x", **claimed}, "spec": {"replicas": 2}}
    assert (await api.put(f"{DEPLOYMENTS}/x/scale", scale)).status == 409
    assert (await api.get(f"{DEPLOYMENTS}/x")).body["spec"]["replicas"] == 1


async def test_who_scales_owns_the_replicas_from_then_on(api: API) -> None:
    await create(api, DEPLOYMENTS, replicas=1)
    scale = {"metadata": {"name": "x"}, "spec": {"replicas": 4}}
    await api.put(f"{DEPLOYMENTS}/x/scale?fieldManager=scaler", scale)
    managers = (await api.get(f"{DEPLOYMENTS}/x")).body["metadata"]["managedFields"]
    owners = [each["manager"] for each in managers if "f:replicas" in each["fieldsV1"].get("f:spec", {})]
    assert owners == ["scaler"]
    (entry,) = (each for each in managers if each["manager"] == "scaler")
    assert (entry["subresource"], entry["apiVersion"]) == ("scale", "apps/v1")


async def test_a_scale_without_its_object_is_not_found(api: API) -> None:
    scale = {"metadata": {"name": "x"}, "spec": {"replicas": 4}}
    for reply in (await api.get(f"{DEPLOYMENTS}/x/scale"), await api.put(f"{DEPLOYMENTS}/x/scale", scale)):
        assert reply.error == (404, "NotFound", 'deployments.apps "x" not found')
