"""Why another server can't be asked, one cause after the other, until it can; its service has endpoints."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from localplane.client import Client, GroupVersionResource, PatchType
from localplane.compose.server import Plane
from localplane.library import (
    APIError,
    APIGroup,
    AuthenticationOptions,
    PlaneOptions,
    RequestHeaderOptions,
    Resource,
    ServerOptions,
    StorageKind,
    StorageOptions,
    Version,
    open_plane,
)
from tests.integration.aggregator.conftest import API_SERVICES, GROUP, NAME, SERVICES, TICKETS, api_service, condition

pytestmark = pytest.mark.asyncio(loop_scope="module")

SLICES = GroupVersionResource("discovery.k8s.io", "v1", "endpointslices")
TICKETS_GROUP = APIGroup(GROUP, [Resource("tickets", "Ticket", [Version("v1")])])
NOT_LOOPBACK = "192.0.2.1"


def service(port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "behind", "namespace": "default"},
        "spec": {"ports": [{"name": "https", "port": port}]},
    }


def endpoint_slice(address: str, port: int, name: str) -> dict[str, Any]:
    metadata = {"name": "behind-1", "namespace": "default", "labels": {"kubernetes.io/service-name": "behind"}}
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": metadata,
        "addressType": "IPv4",
        "endpoints": [{"addresses": [address]}],
        "ports": [{"name": name, "port": port}],
    }


async def told(client: Client, reason: str) -> str:
    message: str = (await condition(client, lambda found: found.get("reason") == reason))["message"]
    return message


async def test_every_cause_is_told_until_there_is_none(plane: Plane, client: Client) -> None:
    address = own_address()
    with listening(address) as refusing:
        port: int = refusing.getsockname()[1]
    services = client.resource(SERVICES, "default")
    slices = client.resource(SLICES, "default")

    await client.resource(API_SERVICES).create(api_service(port=443, service="behind"))
    assert await told(client, "ServiceNotFound") == 'service/behind in "default" is not present'
    await services.create(service(80))
    assert await told(client, "ServicePortError") == 'service/behind in "default" is not listening on port 443'
    await services.patch("behind", {"spec": service(443)["spec"]}, PatchType.MERGE)
    message = 'cannot find endpointslices for service/behind in "default"'
    assert await told(client, "EndpointsNotFound") == message
    await slices.create(endpoint_slice(address, port, "other"))
    message = 'endpointslices for service/behind in "default" have no addresses with port name "https"'
    assert await told(client, "MissingEndpoints") == message
    await slices.patch("behind-1", {"ports": [{"name": "https", "port": port}]}, PatchType.MERGE)
    url = f"https://{address}:{port}/apis/{GROUP}/v1"
    refused = f'Get "{url}": dial tcp {address}:{port}: connect: connection refused'
    assert await told(client, "FailedDiscoveryCheck") == f"failing or missing response from {url}: {refused}"

    async with open_plane([TICKETS_GROUP], behind(plane, address, port)):
        await slices.patch("behind-1", {"metadata": {"annotations": {"look": "again"}}}, PatchType.MERGE)
        assert await told(client, "Passed") == "all checks passed"
        assert (await client.resource(TICKETS, "default").list())["items"] == []
    with pytest.raises(APIError, match="unable to handle the request") as unreachable:
        await client.resource(TICKETS, "default").list()
    assert unreachable.value.code == 503
    await client.resource(API_SERVICES).delete(NAME)


async def test_what_becomes_local_says_so(client: Client) -> None:
    await client.resource(API_SERVICES).create(api_service(port=443, service="nobody"))
    spec = {"service": None, "insecureSkipTLSVerify": None}
    await client.resource(API_SERVICES).patch(NAME, {"spec": spec}, PatchType.MERGE)
    assert await told(client, "Local") == "Local APIServices are always available"


def behind(plane: Plane, address: str, port: int) -> PlaneOptions:
    proxy = RequestHeaderOptions(client_ca=plane.kubeconfig.parent / "pki" / "front-proxy-ca.crt")
    return PlaneOptions(
        storage=StorageOptions(kind=StorageKind.MEMORY),
        server=ServerOptions(
            addresses=(address,),
            port=port,
            allow_remote=True,
            authentication=AuthenticationOptions(request_header=proxy),
        ),
    )


def listening(address: str) -> socket.socket:
    return socket.create_server((address, 0))


def own_address() -> str:
    """Endpoints may not be on the loopback, so it must be another address of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((NOT_LOOPBACK, 9))
        except OSError:
            pytest.skip("this machine has no address but the loopback's")
        found: str = probe.getsockname()[0]
        return found
