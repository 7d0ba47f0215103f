"""The config map in which other servers read whom to believe: the clients' authority and the front proxy's.

Kubernetes: pkg/controlplane/controller/clusterauthenticationtrust.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from localplane.apimachinery.errors import AlreadyExists, NotFound
from localplane.client import Client, GroupVersionResource, PatchType

from .front_proxy import CLIENT_NAME

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_NAME: Final = "extension-apiserver-authentication"
_NAMESPACE: Final = "kube-system"


async def publish(client: Client, *, client_authority: str, proxy_authority: str) -> None:
    """Written only if it says something else."""
    config_maps = client.resource(_CONFIG_MAPS, _NAMESPACE)
    data = authentication_data(proxy_authority)
    if client_authority:
        data["client-ca-file"] = client_authority
    metadata = {"name": _NAME, "namespace": _NAMESPACE}
    wanted: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    try:
        found = await config_maps.get(_NAME)
    except NotFound:
        with suppress(AlreadyExists):
            await config_maps.create(wanted)
            return
        found = {}
    if (found.get("data") or {}).items() >= data.items():
        return
    await config_maps.patch(_NAME, {"data": data}, PatchType.MERGE)


def authentication_data(authority: str) -> dict[str, str]:
    return {
        "requestheader-allowed-names": f'["{CLIENT_NAME}"]',
        "requestheader-client-ca-file": authority,
        "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
        "requestheader-group-headers": '["X-Remote-Group"]',
        "requestheader-uid-headers": '["X-Remote-Uid"]',
        "requestheader-username-headers": '["X-Remote-User"]',
    }
