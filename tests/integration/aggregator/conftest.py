"""A cluster, the example `aggregated/tickets.py` as a process behind it, and an HTTP client of the cluster."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest_asyncio

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.server.options import ServerOptions
from localplane.client import Client, GroupVersionResource
from localplane.client.kubeconfig import load, resolve
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane
from tests.e2e.examples.serving import EXAMPLES, Serving, serving

GROUP = "tickets.example.com"
NAME = f"v1.{GROUP}"
TICKETS = GroupVersionResource(GROUP, "v1", "tickets")
API_SERVICES = GroupVersionResource("apiregistration.k8s.io", "v1", "apiservices")
SERVICES = GroupVersionResource("", "v1", "services")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plane() -> AsyncIterator[Plane]:
    options = ClusterOptions(
        storage=StorageOptions(kind=StorageKind.MEMORY),
        server=ServerOptions(port=0),
        controllers=("none",),
        disabled_admission_plugins=("ServiceAccount",),
    )
    async with open_cluster(options) as plane:
        yield plane


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(plane: Plane) -> AsyncIterator[Client]:
    async with Client.connect(resolve(load(plane.kubeconfig))) as client:
        yield client


@contextmanager
def tickets_behind(plane: Plane, home: Path) -> Iterator[Serving]:
    """As the example's docstring says. It asks nothing of the plane before somebody asks something of it, so the
    loop that serves the plane may wait for its start."""
    directory = plane.kubeconfig.parent
    flags = (
        *("--storage", "memory"),
        *("--requestheader-client-ca-file", str(directory / "pki" / "front-proxy-ca.crt")),
        *("--requestheader-allowed-names", "front-proxy-client"),
        *("--authorization-kubeconfig", str(plane.kubeconfig)),
    )
    with serving(EXAMPLES / "aggregated" / "tickets.py", *flags, home=home) as server:
        yield server


def port_of(server: Serving) -> int:
    return int(server.url.rpartition(":")[2])


def api_service(*, port: int, service: str = "tickets", server: Serving | None = None) -> JSONObject:
    """Verified by the server's own authority, or by nothing if there is no server to be verified."""
    verified: JSONObject = {"insecureSkipTLSVerify": True}
    if server is not None:
        verified = {"caBundle": b64encode((server.kubeconfig.parent / "pki" / "ca.crt").read_bytes()).decode()}
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": NAME},
        "spec": {
            "group": GROUP,
            "version": "v1",
            "groupPriorityMinimum": 1000,
            "versionPriority": 15,
            "service": {"namespace": "default", "name": service, "port": port},
            **verified,
        },
    }


def external_service() -> JSONObject:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "tickets", "namespace": "default"},
        "spec": {"type": "ExternalName", "externalName": "localhost"},
    }


async def condition(client: Client, wanted: Callable[[JSONObject], bool], *, within: float = 20) -> JSONObject:
    """The APIService's condition, once it is as wanted."""
    found: JSONObject = {}
    try:
        async with asyncio.timeout(within):
            async with client.resource(API_SERVICES).watch() as events:
                async for event in events:
                    if event.object["metadata"]["name"] != NAME:
                        continue
                    conditions = event.object.get("status", {}).get("conditions") or [{}]
                    found = conditions[0]
                    if wanted(found):
                        return found
    except TimeoutError:
        raise AssertionError(f"it stays {found}") from None
    raise AssertionError("the watch ended")
