"""Versions and resources that are switched off: others find them nowhere, and the cluster goes on as before."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from localplane.apimachinery.errors import APIError
from localplane.apiserver.endpoints.enablement import Enablement
from localplane.apiserver.server.options import ServerOptions
from localplane.client import Client, GroupVersionResource
from localplane.client.kubeconfig import load, resolve
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions

SOME = Enablement(
    frozenset({"batch/v1", "apps/v1", "rbac.authorization.k8s.io/v1", "/v1/configmaps"}),
    frozenset({"apps/v1/deployments"}),
)
PATHS = {
    "/apis/batch/v1": 404,
    "/apis/batch": 404,
    "/apis/batch/v1/jobs": 404,
    "/apis/apps/v1/namespaces/default/deployments": 200,
    "/apis/apps/v1/namespaces/default/deployments/none/status": 404,
    "/apis/apps/v1/statefulsets": 404,
    "/api/v1/configmaps": 404,
    "/api/v1/pods": 200,
    "/openapi/v3/apis/batch/v1": 404,
    "/openapi/v3/apis/apps/v1": 200,
    "/apis/rbac.authorization.k8s.io/v1/clusterroles": 404,
}


async def answer(client: Client, path: str) -> Any:
    return orjson.loads((await client.request("GET", path)).body)


async def status(client: Client, path: str) -> int:
    try:
        await client.request("GET", path)
    except APIError as error:
        return error.code
    return 200


async def test_what_is_switched_off_is_not_there() -> None:
    options = ClusterOptions(
        server=ServerOptions(port=0, enablement=SOME), storage=StorageOptions(kind=StorageKind.MEMORY), nodes=0
    )
    async with open_cluster(options) as plane, Client.connect(resolve(load(plane.kubeconfig))) as client:
        assert {path: await status(client, path) for path in PATHS} == PATHS
        groups = [group["name"] for group in (await answer(client, "/apis"))["groups"]]
        assert ("apps" in groups, "batch" in groups, "rbac.authorization.k8s.io" in groups) == (True, False, False)
        apps = (await answer(client, "/apis/apps/v1"))["resources"]
        assert {each["name"].partition("/")[0] for each in apps} == {"deployments"}
        assert not [path for path in (await answer(client, "/"))["paths"] if "batch" in path]
        services = (await answer(client, "/apis/apiregistration.k8s.io/v1/apiservices"))["items"]
        names = {each["metadata"]["name"] for each in services}
        assert ("v1.apps" in names, "v1.batch" in names) == (True, False)
        with pytest.raises(APIError):
            await client.resource(GroupVersionResource("batch", "v1", "jobs"), "default").create({"metadata": {}})
        roles = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterroles")
        assert len((await plane.client.resource(roles).list())["items"]) > 10, "those inside still have them"
