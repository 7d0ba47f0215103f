"""What stands below a pod: binding, eviction, ephemeral containers, and connections that lead nowhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authorization import ALLOWED, Attributes, Decision, Verdict
from localplane.apiserver.registry.lookup import Lookup
from localplane.catalog import policy
from localplane.catalog.core.bindings import bindings
from localplane.catalog.core.pods.resource import pods
from localplane.catalog.declarations import builtin, group
from localplane.catalog.options import CatalogOptions
from tests.integration.api.talk import API

PODS = "/api/v1/namespaces/default/pods"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"


@pytest.fixture
async def api() -> AsyncIterator[API]:
    found: list[API] = []
    objects = Lookup(lambda: found[0].installer.definitions())  # noqa: PLW0108 - it is not there yet
    options = CatalogOptions(objects=objects)
    core = group("", pods(options), bindings(options), builtin("nodes"))
    found.append(await API.start([core, group("policy", *policy.RESOURCES)]))
    yield found[0]
    await found[0].close()


async def create(api: API, name: str, **spec: Any) -> None:
    container = {"name": "c", "image": "i"}
    metadata = {"name": name, "labels": {"app": "a"}}
    reply = await api.post(PODS, {"metadata": metadata, "spec": {"containers": [container], **spec}})
    assert reply.status == 201, reply.data


def binding(name: str, node: str = "n1", **metadata: Any) -> JSONObject:
    return {"metadata": {"name": name, **metadata}, "target": {"kind": "Node", "name": node}}


def eviction(name: str, **options: Any) -> JSONObject:
    return {"metadata": {"name": name}, "deleteOptions": options}


async def test_a_binding_sets_the_node_once(api: API) -> None:
    await create(api, "p")
    assert (await api.post(f"{PODS}/p/binding", binding("p", labels={"zone": "a"}))).status == 201
    bound = (await api.get(f"{PODS}/p")).body
    assert bound["spec"]["nodeName"] == "n1"
    assert bound["metadata"]["labels"] == {"app": "a", "zone": "a"}
    assert bound["status"]["conditions"][0]["status"] == "True"
    again = await api.post("/api/v1/namespaces/default/bindings", binding("p", "n2"))
    assert again.error == (
        409,
        "Conflict",
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    )


async def test_a_binding_is_for_the_pod_that_its_maker_has_seen(api: API) -> None:
    await create(api, "p")
    assert (await api.post(f"{PODS}/p/binding", binding("p", uid="another"))).status == 409
    assert (await api.post(f"{PODS}/p/binding?dryRun=All", binding("p"))).status == 201
    assert "nodeName" not in (await api.get(f"{PODS}/p")).body["spec"]


async def budget(api: API, allowed: int, **spec: Any) -> None:
    selector = {"matchLabels": {"app": "a"}}
    await api.post(BUDGETS, {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": selector, **spec}})
    status = {"observedGeneration": 1, "currentHealthy": 1, "desiredHealthy": 2, "expectedPods": 2}
    reply = await api.merge(f"{BUDGETS}/b/status", {"status": status | {"disruptionsAllowed": allowed}})
    assert reply.status == 200, reply.data


async def run(api: API, name: str, *, ready: bool = True) -> None:
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    await api.merge(f"{PODS}/{name}/status", {"status": {"phase": "Running", "conditions": [condition]}})


async def test_an_eviction_takes_from_the_budget_and_gives_the_pod_its_time(api: API) -> None:
    await create(api, "p", nodeName="n1")
    await run(api, "p")
    await budget(api, 1)
    assert (await api.post(f"{PODS}/p/eviction", eviction("p"))).status == 201
    evicted = (await api.get(f"{PODS}/p")).body
    assert evicted["metadata"]["deletionGracePeriodSeconds"] == 30
    assert evicted["status"]["conditions"][1]["reason"] == "EvictionByEvictionAPI"
    left = (await api.get(f"{BUDGETS}/b")).body["status"]
    assert (left["disruptionsAllowed"], list(left["disruptedPods"])) == (0, ["p"])
    assert left["conditions"][0]["reason"] == "InsufficientPods"


async def test_an_empty_budget_refuses(api: API) -> None:
    await create(api, "p", nodeName="n1")
    await run(api, "p")
    await budget(api, 0)
    refused = await api.post(f"{PODS}/p/eviction", eviction("p"))
    assert (refused.status, refused.body["details"]["causes"][0]["message"]) == (
        429,
        "The disruption budget b needs 2 healthy pods and has 1 currently",
    )


async def test_a_pod_that_does_not_work_may_go_when_the_budget_says_so(api: API) -> None:
    await create(api, "p", nodeName="n1")
    await run(api, "p", ready=False)
    await budget(api, 0, unhealthyPodEvictionPolicy="AlwaysAllow")
    assert (await api.post(f"{PODS}/p/eviction", eviction("p", gracePeriodSeconds=0))).status == 201
    assert (await api.get(f"{PODS}/p")).status == 404


async def test_a_pending_pod_is_guarded_by_nobody(api: API) -> None:
    await create(api, "p")
    await budget(api, 0)
    assert (await api.post(f"{PODS}/p/eviction?dryRun=All", eviction("p"))).status == 201
    assert (await api.post(f"{PODS}/p/eviction", eviction("p"))).status == 201
    assert (await api.get(f"{PODS}/p")).status == 404


async def test_ephemeral_containers_are_added_and_stay(api: API) -> None:
    await create(api, "p")
    debugger = {"name": "d", "image": "i"}
    added = await api.merge(
        f"{PODS}/p/ephemeralcontainers", {"spec": {"ephemeralContainers": [debugger], "nodeName": "n"}}
    )
    assert (added.status, added.body["spec"].get("nodeName"), added.body["metadata"]["generation"]) == (200, None, 2)
    assert added.body["spec"]["ephemeralContainers"][0]["imagePullPolicy"] == "Always"
    removed = await api.merge(f"{PODS}/p/ephemeralcontainers", {"spec": {"ephemeralContainers": []}})
    assert 'existing ephemeral containers "d" may not be removed' in removed.message


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("exec?command=ls", 400, "pod p does not have a host assigned"),
        ("attach?container=x", 400, "container x is not valid for pod p"),
        ("portforward?ports=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'),
        ("proxy", 400, "address not allowed"),
        ("proxy/some/path/", 400, "address not allowed"),
        ("exec/more", 404, "the server could not find the requested resource"),
        ("log?container=x", 400, "container x is not valid for pod p"),
        ("exec?dryRun=All", 400, "dryRun is not supported"),
    ],
)
async def test_connections_to_a_pod_without_a_node(api: API, path: str, status: int, message: str) -> None:
    await create(api, "p")
    reply = await api.get(f"{PODS}/p/{path}")
    assert (reply.status, reply.message) == (status, message)


async def test_a_pod_without_a_node_has_no_log_and_one_with_an_unknown_node_tells(api: API) -> None:
    await create(api, "p")
    none = await api.get(f"{PODS}/p/log")
    assert (none.status, none.data, none.content_type) == (204, b"", "")
    await create(api, "q", nodeName="gone")
    assert (await api.get(f"{PODS}/q/log")).error == (404, "NotFound", 'pods "gone" not found')


class Readers:
    """May look, and nothing more."""

    async def authorize(self, attributes: Attributes) -> Decision:
        return ALLOWED if attributes.verb == "get" else Decision(Verdict.DENY, "readers only")


async def test_who_may_only_look_does_not_get_in() -> None:
    api = await API.start([group("", pods(CatalogOptions(authorizer=Readers())))])
    await create(api, "p")
    refused = await api.get(f"{PODS}/p/exec")
    assert refused.error == (403, "Forbidden", 'pods "p" is forbidden: readers only')
    await api.close()


async def test_connections_take_the_methods_that_they_name(api: API) -> None:
    await create(api, "p")
    assert (await api.put(f"{PODS}/p/exec", {})).status == 405
    assert (await api.put(f"{PODS}/p/proxy/x", {})).status == 400
