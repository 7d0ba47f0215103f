"""Where everything is allowed, nobody comes in unknown."""

from __future__ import annotations

import ssl

import httpx
import pytest

from localplane.apiserver.server.options import ServerOptions
from localplane.compose.cluster import open_cluster
from localplane.compose.options import (
    AuthorizationMode,
    AuthorizationOptions,
    ClusterOptions,
    StorageKind,
    StorageOptions,
)


@pytest.mark.parametrize(
    ("mode", "status"), [(AuthorizationMode.ALWAYS_ALLOW, 401), (AuthorizationMode.RBAC, 403)], ids=str
)
async def test_who_shows_nothing_is_refused(mode: AuthorizationMode, status: int) -> None:
    options = ClusterOptions(
        storage=StorageOptions(kind=StorageKind.MEMORY),
        server=ServerOptions(port=0),
        controllers=("none",),
        authorization=AuthorizationOptions(modes=(mode,)),
    )
    blind = ssl.create_default_context()
    blind.check_hostname, blind.verify_mode = False, ssl.CERT_NONE
    async with open_cluster(options) as plane, httpx.AsyncClient(base_url=plane.url, verify=blind) as nobody:
        answer = await nobody.get("/api/v1/secrets")
    assert (answer.status_code, answer.json()["code"]) == (status, status)
