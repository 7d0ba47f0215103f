"""A server of the library behind a cluster: one API to its clients."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
import pytest_asyncio

from localplane.apimachinery.errors import Forbidden, Invalid
from localplane.client import Client, GroupVersionResource, PatchType
from localplane.compose.server import Plane
from tests.e2e.examples.kubectl import Kubectl, kubectls
from tests.e2e.examples.serving import Serving
from tests.integration.aggregator.conftest import (
    API_SERVICES,
    GROUP,
    SERVICES,
    TICKETS,
    api_service,
    condition,
    external_service,
    port_of,
    tickets_behind,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROLES = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterroles")
BINDINGS = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterrolebindings")
RBAC = "rbac.authorization.k8s.io"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tickets(plane: Plane, client: Client, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Serving]:
    with tickets_behind(plane, tmp_path_factory.mktemp("tickets")) as server:
        await client.resource(SERVICES, "default").create(external_service())
        await client.resource(API_SERVICES).create(api_service(port=port_of(server), server=server))
        await condition(client, lambda found: found.get("status") == "True")
        yield server


def ticket(name: str, title: str) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Ticket", "metadata": {"name": name}, "spec": {"title": title}}


async def document(client: Client, path: str, accept: str = "application/json") -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads((await client.request("GET", path, headers=[("Accept", accept)])).body)
    return found


async def test_it_has_passed_all_checks(client: Client, tickets: Serving) -> None:
    found = await condition(client, lambda found: found.get("status") == "True")
    assert (found["reason"], found["message"]) == ("Passed", "all checks passed")


async def test_kubectl_creates_gets_explains_and_deletes(plane: Plane, tickets: Serving, tmp_path: Path) -> None:
    if not kubectls():
        pytest.skip("no kubectl")
    kubectl = Kubectl(kubectls()[0], plane.kubeconfig, tmp_path)

    async def ok(*arguments: str, stdin: str = "") -> str:
        return await asyncio.to_thread(kubectl.ok, *arguments, stdin=stdin)

    body = orjson.dumps(ticket("leak", "the roof leaks")).decode()
    assert await ok("create", "-f", "-", stdin=body) == "ticket.tickets.example.com/leak created\n"
    assert await ok("get", "tk") == "NAME   TITLE            PRIORITY\nleak   the roof leaks   3\n"
    assert "FIELD: title <string>" in await ok("explain", "tickets.spec.title")
    assert await ok("delete", "ticket", "leak") == 'ticket.tickets.example.com "leak" deleted\n'


async def test_a_watch_tells_of_changes_as_they_happen(client: Client, tickets: Serving) -> None:
    resource = client.resource(TICKETS, "default")
    async with asyncio.timeout(20), resource.watch() as events:
        await resource.create(ticket("first", "one"))
        heard = [await anext(aiter(events))]
        await resource.delete("first")
        heard.append(await anext(aiter(events)))
    assert [(event.type, event.object["metadata"]["name"]) for event in heard] == [
        ("ADDED", "first"),
        ("DELETED", "first"),
    ]


async def test_refusals_are_the_other_servers_own(client: Client, tickets: Serving) -> None:
    body = ticket("untitled", "") | {"spec": {}}
    with pytest.raises(Invalid) as refused:
        await client.resource(TICKETS, "default").create(body)
    assert str(refused.value) == f'Ticket.{GROUP} "untitled" is invalid: spec.title: Required value'


async def test_roles_of_the_cluster_count_there(client: Client, tickets: Serving) -> None:
    """The plane would let alice in once she has a role, and so must the server that it asks."""
    alice = client.acting_as("alice").resource(TICKETS, "default")
    with pytest.raises(Forbidden, match='User "alice" cannot list resource "tickets"'):
        await alice.list()
    rules = [{"apiGroups": [GROUP], "resources": ["tickets"], "verbs": ["list"]}]
    kind = {"apiVersion": f"{RBAC}/v1", "metadata": {"name": "reads-tickets"}}
    await client.resource(ROLES).create(kind | {"kind": "ClusterRole", "rules": rules})
    role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "reads-tickets"}
    subjects = [{"apiGroup": RBAC, "kind": "User", "name": "alice"}]
    await client.resource(BINDINGS).create(kind | {"kind": "ClusterRoleBinding", "roleRef": role, "subjects": subjects})
    assert (await alice.list())["items"] == []


async def test_headers_without_the_proxys_certificate_say_nothing(tickets: Serving) -> None:
    tls = ssl.create_default_context(cafile=tickets.kubeconfig.parent / "pki" / "ca.crt")
    forged = {"X-Remote-User": "eve", "X-Remote-Group": "system:masters"}
    async with httpx.AsyncClient(verify=tls, headers=forged) as eve:
        answer = await eve.get(f"{tickets.url}/apis/{GROUP}/v1/tickets")
    assert answer.status_code == 403
    assert 'User "system:anonymous"' in answer.json()["message"]


async def test_discovery_tells_of_it(client: Client, tickets: Serving) -> None:
    groups = {group["name"]: group for group in (await document(client, "/apis"))["groups"]}
    assert groups[GROUP]["preferredVersion"] == {"groupVersion": f"{GROUP}/v1", "version": "v1"}
    aggregated = await document(client, "/apis", AGGREGATED)
    (found,) = [item for item in aggregated["items"] if item["metadata"]["name"] == GROUP]
    (version,) = found["versions"]
    assert version["freshness"] == "Current"
    (resource,) = version["resources"]
    assert (resource["resource"], resource["responseKind"]["kind"], resource["shortNames"]) == (
        "tickets",
        "Ticket",
        ["tk"],
    )


async def test_its_openapi_document_is_listed_and_passed_on(client: Client, tickets: Serving) -> None:
    index = await document(client, "/openapi/v3")
    url: str = index["paths"][f"apis/{GROUP}/v1"]["serverRelativeURL"]
    path, _, query = url.partition("?hash=")
    answer = await client.request("GET", path, query=[("hash", query)])
    assert any(name.endswith(".Ticket") for name in orjson.loads(answer.body)["components"]["schemas"])


async def test_upgrades_are_refused(plane: Plane, tickets: Serving) -> None:
    certificates = plane.kubeconfig.parent / "pki"
    tls = ssl.create_default_context(cafile=certificates / "ca.crt")
    tls.load_cert_chain(certificates / "admin.crt", certificates / "admin.key")
    headers = {"Connection": "Upgrade", "Upgrade": "websocket"}
    async with httpx.AsyncClient(verify=tls, headers=headers) as http:
        answer = await http.get(f"{plane.url}/apis/{GROUP}/v1/namespaces/default/tickets")
    assert answer.status_code == 501


async def test_one_that_is_gone_is_unavailable_and_stale(client: Client, plane: Plane, tickets: Serving) -> None:
    """The last test of this file: it stops the server."""
    await asyncio.to_thread(tickets.stop)
    services = client.resource(SERVICES, "default")
    await services.patch("tickets", {"metadata": {"labels": {"look": "again"}}}, PatchType.MERGE)
    found = await condition(client, lambda found: found.get("status") == "False")
    assert found["reason"] == "FailedDiscoveryCheck"
    port = port_of(tickets)
    assert found["message"] == (
        f"failing or missing response from https://localhost:{port}/apis/{GROUP}/v1: "
        f'Get "https://localhost:{port}/apis/{GROUP}/v1": dial tcp localhost:{port}: connect: connection refused'
    )
    aggregated = await document(client, "/apis", AGGREGATED)
    (group,) = [item for item in aggregated["items"] if item["metadata"]["name"] == GROUP]
    assert [version["freshness"] for version in group["versions"]] == ["Stale"]
    assert [resource["resource"] for resource in group["versions"][0]["resources"]] == ["tickets"]
