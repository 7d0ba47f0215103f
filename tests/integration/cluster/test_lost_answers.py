"""Whatever the store loses, a client that comes back when it is invited to has done what it asked for once.

The client is over HTTP and behaves as client-go does: it sends any request again that was answered with 429 or 5xx and
Retry-After, and a connection that broke it repeats for reads only. The store does a write and loses the answer, loses
the write, or does it later; or it certainly did not get it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
import pytest_asyncio

from localplane.apimachinery.errors import APIError, NotFound, ServiceUnavailable, Timeout
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, PatchType
from localplane.client.kubeconfig import load, resolve
from localplane.client.transport.aiohttp_transport import HTTPTransport
from localplane.compose.server import Plane
from tests.contract.losing import Fate, LostAnswers, losing

pytestmark = pytest.mark.asyncio(loop_scope="module")


NAMESPACES = GroupVersionResource("", "v1", "namespaces")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
EVENTS = GroupVersionResource("", "v1", "events")
PODS = GroupVersionResource("", "v1", "pods")
QUOTAS = GroupVersionResource("", "v1", "resourcequotas")
SERVICES = GroupVersionResource("", "v1", "services")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
ROLES = GroupVersionResource("rbac.authorization.k8s.io", "v1", "roles")
BUDGETS = GroupVersionResource("policy", "v1", "poddisruptionbudgets")
ADDRESSES = GroupVersionResource("networking.k8s.io", "v1", "ipaddresses")

_numbers = count()


def config_map(name: str = "a", **fields: Any) -> JSONObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **fields}


POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "labels": {"app": "a"}},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "a"},
    "spec": {
        "replicas": 1,
        "selector": {"matchLabels": {"app": "a"}},
        "template": {"metadata": {"labels": {"app": "a"}}, "spec": POD["spec"]},
    },
}
RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "a"}, "rules": [RULE]}
BINDING = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n"}}
EVICTION = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}}
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "a"},
    "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}},
}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"generateName": "a-"}, "spec": {"ports": [{"port": 1}]}}


class Desk:
    """One namespace, and what is in it."""

    def __init__(self, client: Client, namespace: str) -> None:
        self.client = client
        self.namespace = namespace

    def of(self, resource: GroupVersionResource) -> Any:
        return self.client.resource(resource, self.namespace)

    async def count(self, resource: GroupVersionResource) -> int:
        return len((await self.of(resource).list())["items"])

    async def gone(self, resource: GroupVersionResource, name: str = "a") -> int:
        try:
            await self.of(resource).get(name)
        except NotFound:
            return 1
        return 0


async def _counted_addresses(desk: Desk) -> int:
    """How many services there are, each with an address of its own and none left over once somebody has needed one."""
    await desk.of(SERVICES).create(SERVICE | {"metadata": {"name": "another"}})
    await desk.of(SERVICES).delete("another")
    services = (await desk.of(SERVICES).list())["items"]
    parents = [
        (item["spec"]["parentRef"]["namespace"], item["spec"]["parentRef"]["name"], item["metadata"]["name"])
        for item in (await desk.client.resource(ADDRESSES).list())["items"]
    ]
    own = [parent for parent in parents if parent[0] == desk.namespace]
    assert own == [(desk.namespace, item["metadata"]["name"], item["spec"]["clusterIP"]) for item in services]
    return len(services)


async def _charged(desk: Desk) -> int:
    charged = int((await desk.of(QUOTAS).get("q"))["status"]["used"]["configmaps"])
    assert charged == await desk.count(CONFIG_MAPS)
    return charged


async def _limit(desk: Desk) -> None:
    hard = {"configmaps": "9"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}}
    await desk.of(QUOTAS).create(quota)
    status = {"status": {"hard": hard, "used": {"configmaps": "0"}}}
    await desk.of(QUOTAS).patch("q", status, PatchType.MERGE, subresource="status")


async def _guard(desk: Desk) -> None:
    await desk.of(PODS).create(POD)
    running = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    await desk.of(PODS).patch("a", running, PatchType.MERGE, subresource="status")
    await desk.of(BUDGETS).create(BUDGET)
    allowed = {"observedGeneration": 1, "disruptionsAllowed": 5, "currentHealthy": 6, "desiredHealthy": 1}
    status = {"status": allowed | {"expectedPods": 6}}
    await desk.of(BUDGETS).patch("a", status, PatchType.MERGE, subresource="status")


async def _taken(desk: Desk) -> int:
    """Once from the budget for each pod that went."""
    taken = 5 - (await desk.of(BUDGETS).get("a"))["status"]["disruptionsAllowed"]
    assert taken <= 1
    return await desk.gone(PODS)


Step = Callable[[Desk], Awaitable[Any]]


@dataclass(frozen=True)
class Request:
    """What is asked for, what has to be there before, how often it was done in the end, and whose keys get lost."""

    act: Step
    times: Callable[[Desk], Awaitable[int]]
    below: str
    before: Step | None = None
    writes: int = 1
    creates: bool = False


@dataclass(frozen=True)
class Field:
    """Whether an object has come to have a value, and no second change after it."""

    resource: GroupVersionResource
    path: tuple[str, ...]
    value: Any = field(compare=False)

    async def __call__(self, desk: Desk) -> int:
        found: Any = await desk.of(self.resource).get("a")
        for name in self.path:
            found = (found or {}).get(name)
        return int(found == self.value)


def creating(resource: GroupVersionResource, obj: JSONObject) -> Step:
    return lambda desk: desk.of(resource).create(obj)


async def _happen(desk: Desk) -> None:
    about = {"kind": "Pod", "name": "a", "namespace": desk.namespace}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"generateName": "e-"}, "involvedObject": about}
    await desk.of(EVENTS).create(event)


async def _replace(desk: Desk) -> None:
    seen = await desk.of(CONFIG_MAPS).get("a")
    await desk.of(CONFIG_MAPS).update(seen | {"data": {"k": "v"}})


async def _rescale(desk: Desk) -> None:
    seen = await desk.of(DEPLOYMENTS).get("a", subresource="scale")
    await desk.of(DEPLOYMENTS).update(seen | {"spec": {"replicas": 2}}, subresource="scale")


async def _append(desk: Desk) -> None:
    await desk.of(ROLES).patch("a", [{"op": "add", "path": "/rules/-", "value": RULE}], PatchType.JSON)


async def _rules_added(desk: Desk) -> int:
    return len((await desk.of(ROLES).get("a"))["rules"]) - 1


async def _make_five(desk: Desk) -> None:
    for number in range(5):
        await desk.of(CONFIG_MAPS).create(config_map(f"c{number}"))


async def _all_gone(desk: Desk) -> int:
    return int(not await desk.count(CONFIG_MAPS))


def patching(resource: GroupVersionResource, patch: JSONObject, kind: PatchType, **options: Any) -> Step:
    return lambda desk: desk.of(resource).patch("a", patch, kind, **options)


REQUESTS = {
    "create with a generated name": Request(
        creating(CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "a-"}}),
        lambda desk: desk.count(CONFIG_MAPS),
        "/configmaps/",
        creates=True,
    ),
    "create": Request(
        creating(CONFIG_MAPS, config_map()), lambda desk: desk.count(CONFIG_MAPS), "/configmaps/", creates=True
    ),
    "create what expires": Request(
        _happen,
        lambda desk: desk.count(EVENTS),
        "/events/",
        creates=True,
    ),
    "create a service": Request(creating(SERVICES, SERVICE), _counted_addresses, "/services/specs/", creates=True),
    "create with a quota": Request(creating(CONFIG_MAPS, config_map()), _charged, "/resourcequotas/", before=_limit),
    "update": Request(
        _replace, Field(CONFIG_MAPS, ("data", "k"), "v"), "/configmaps/", before=creating(CONFIG_MAPS, config_map())
    ),
    "append by JSON patch": Request(_append, _rules_added, "/roles/", before=creating(ROLES, ROLE)),
    "merge patch": Request(
        patching(CONFIG_MAPS, {"data": {"k": "v"}}, PatchType.MERGE),
        Field(CONFIG_MAPS, ("data", "k"), "v"),
        "/configmaps/",
        before=creating(CONFIG_MAPS, config_map()),
    ),
    "apply": Request(
        patching(CONFIG_MAPS, config_map(data={"k": "v"}), PatchType.APPLY, field_manager="m"),
        Field(CONFIG_MAPS, ("data", "k"), "v"),
        "/configmaps/",
        before=creating(CONFIG_MAPS, config_map()),
    ),
    "apply what is not there": Request(
        patching(CONFIG_MAPS, config_map(data={"k": "v"}), PatchType.APPLY, field_manager="m"),
        lambda desk: desk.count(CONFIG_MAPS),
        "/configmaps/",
        creates=True,
    ),
    "status": Request(
        patching(DEPLOYMENTS, {"status": {"replicas": 3}}, PatchType.MERGE, subresource="status"),
        Field(DEPLOYMENTS, ("status", "replicas"), 3),
        "/deployments/",
        before=creating(DEPLOYMENTS, DEPLOYMENT),
    ),
    "scale": Request(
        _rescale,
        Field(DEPLOYMENTS, ("spec", "replicas"), 2),
        "/deployments/",
        before=creating(DEPLOYMENTS, DEPLOYMENT),
    ),
    "bind": Request(
        lambda desk: desk.of(PODS).create(BINDING, subresource="binding", name="a"),
        Field(PODS, ("spec", "nodeName"), "n"),
        "/pods/",
        before=creating(PODS, POD),
    ),
    "evict": Request(
        lambda desk: desk.of(PODS).create(EVICTION, subresource="eviction", name="a"),
        _taken,
        "/p",
        before=_guard,
        writes=4,
    ),
    "delete": Request(
        lambda desk: desk.of(CONFIG_MAPS).delete("a"),
        lambda desk: desk.gone(CONFIG_MAPS),
        "/configmaps/",
        before=creating(CONFIG_MAPS, config_map()),
    ),
    "delete what is marked first": Request(
        lambda desk: desk.of(PODS).delete("a"),
        lambda desk: desk.gone(PODS),
        "/pods/",
        before=creating(PODS, POD),
        writes=2,
    ),
    "deletecollection": Request(
        lambda desk: desk.of(CONFIG_MAPS).delete_collection(), _all_gone, "/configmaps/", before=_make_five, writes=5
    ),
}

WRITES = [(name, position) for name, request in REQUESTS.items() for position in range(request.writes)]


async def _at_once(_: float) -> None:
    await asyncio.sleep(0)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(plane: Plane) -> AsyncIterator[Client]:
    """Over HTTP, and with no patience for the seconds that it is asked to wait."""
    async with Client(HTTPTransport(resolve(load(plane.kubeconfig))), sleep=_at_once) as client:
        yield client


@pytest.fixture
def lost(plane: Plane) -> Iterator[LostAnswers]:
    with losing(plane.storage.backend) as lost:
        yield lost


@pytest_asyncio.fixture(loop_scope="module")
async def desk(client: Client) -> Desk:
    namespace = f"desk-{next(_numbers)}"
    await client.resource(NAMESPACES).create({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": namespace}})
    return Desk(client, namespace)


async def outcome_of(request: Request, desk: Desk, lost: LostAnswers, *fates: Fate) -> APIError | None:
    """Ask for it while the store behaves so; then everything that was on its way has arrived."""
    if request.before is not None:
        await request.before(desk)
    lost.meet(*fates, below=request.below)
    error: APIError | None = None
    try:
        await request.act(desk)
    except APIError as raised:
        error = raised
    assert lost.is_over
    lost.meet()
    await lost.arrive()
    return error


@pytest.mark.parametrize("fate", [Fate.DONE, Fate.NEVER, Fate.LATE])
@pytest.mark.parametrize(("name", "position"), WRITES)
async def test_what_is_lost_is_done_once_or_its_client_knows_that_nobody_knows(
    desk: Desk, lost: LostAnswers, name: str, position: int, fate: Fate
) -> None:
    request = REQUESTS[name]
    error = await outcome_of(request, desk, lost, *[Fate.ANSWERED] * position, fate)
    times = await request.times(desk)
    if not request.creates or fate is Fate.DONE:
        assert error is None
        assert times == 1
        return
    assert isinstance(error, Timeout)
    assert "may or may not have happened" in error.message
    assert error.retry_after_seconds == 0
    assert times == (1 if fate is Fate.LATE else 0)


@pytest.mark.parametrize(("name", "position"), WRITES)
async def test_what_was_certainly_not_done_is_asked_for_again(
    desk: Desk, lost: LostAnswers, name: str, position: int
) -> None:
    """Unless a part of it was: then nobody is invited to ask for the whole."""
    request = REQUESTS[name]
    error = await outcome_of(request, desk, lost, *[Fate.ANSWERED] * position, Fate.REFUSED)
    if position == 0:
        assert error is None
        assert await request.times(desk) == 1
    else:
        assert isinstance(error, ServiceUnavailable)
        assert error.retry_after_seconds == 0
        assert await request.times(desk) == 0
