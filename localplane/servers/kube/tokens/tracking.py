"""The configmap that tells since when the use of legacy tokens is noted: before that, nobody knows who was used.

Kubernetes: pkg/controlplane/controller/legacytokentracking.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any, Final

from localplane.apimachinery.errors import AlreadyExists, Conflict, NotFound
from localplane.client import Client, GroupVersionResource

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_NAME: Final = "kube-apiserver-legacy-service-account-token-tracking"
_NAMESPACE: Final = "kube-system"
_KEY: Final = "since"


async def track_legacy_tokens(client: Client) -> None:
    """Make it, or mend it if it tells no day."""
    config_maps = client.resource(_CONFIG_MAPS, _NAMESPACE)
    data = {_KEY: datetime.now(UTC).date().isoformat()}
    with suppress(AlreadyExists, Conflict):  # another server on the same store was faster
        try:
            found = await config_maps.get(_NAME)
        except NotFound:
            metadata = {"name": _NAME, "namespace": _NAMESPACE}
            await config_maps.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
            return
        if not _tells_a_day(found):
            await config_maps.update(found | {"data": (found.get("data") or {}) | data})


def _tells_a_day(config_map: dict[str, Any]) -> bool:
    try:
        date.fromisoformat((config_map.get("data") or {}).get(_KEY, ""))
    except ValueError:
        return False
    return True
