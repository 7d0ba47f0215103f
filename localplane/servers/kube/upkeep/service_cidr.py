"""The range that services have from the beginning is ready, if it is the one this server was told.

Kubernetes: pkg/controlplane/controller/defaultservicecidr.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.times import now
from localplane.client import Client, GroupVersionResource, PatchType

_log = logging.getLogger(__name__)

_RANGES: Final = GroupVersionResource("networking.k8s.io", "v1", "servicecidrs")
_NAME: Final = "kubernetes"
_MANAGER: Final = "kubernetes-service-cidr-controller"


async def confirm_default(client: Client, cidrs: Sequence[str]) -> None:
    """Says that the range is ready if nobody has said anything. One that is missing is made again."""
    ranges = client.resource(_RANGES)
    named: dict[str, Any] = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "ServiceCIDR",
        "metadata": {"name": _NAME},
    }
    try:
        current = await ranges.get(_NAME)
    except NotFound:
        current = await ranges.create(named | {"spec": {"cidrs": list(cidrs)}})
    if "deletionTimestamp" in current["metadata"]:
        return
    if current["spec"].get("cidrs") != list(cidrs):
        _log.warning(
            "The default ServiceCIDR %s does not match the controller flag configurations %s",
            current["spec"].get("cidrs"),
            list(cidrs),
        )
        return
    conditions = (current.get("status") or {}).get("conditions") or ()
    if any(each["type"] == "Ready" and each["status"] != "Unknown" for each in conditions):
        return
    ready = {
        "type": "Ready",
        "status": "True",
        "message": "Kubernetes default Service CIDR is ready",
        "lastTransitionTime": now(),
    }
    await ranges.patch(
        _NAME,
        named | {"status": {"conditions": [ready]}},
        PatchType.APPLY,
        subresource="status",
        field_manager=_MANAGER,
        force=True,
    )
