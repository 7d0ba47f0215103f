"""Who is asked, and the charge that is written."""

from __future__ import annotations

import asyncio
import random
from typing import Any, Final
from weakref import WeakValueDictionary

from localplane.apimachinery.errors import Conflict, NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apis.amounts import written as as_text
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.registry.lookup import Lookup
from localplane.client import Client, GroupVersionResource
from localplane.servers.kube.admission.plugin import WRITES, LookingPlugin

from .charges import Charge, charges, is_measured, may_cost

_QUOTAS: Final = GroupVersionResource("", "v1", "resourcequotas")
_ATTEMPTS: Final = 40
_LONGEST_PAUSE_SECONDS: Final = 0.1
"""Between two attempts, when other servers charge the same quota; each of them has one charge on its way at a time."""
_NEVER: Final = frozenset(
    GroupResource(group, resource)
    for group, resources in {
        "": ("bindings", "componentstatuses", "events"),
        "events.k8s.io": ("events",),
        "authentication.k8s.io": ("tokenreviews", "selfsubjectreviews"),
        "authorization.k8s.io": (
            "subjectaccessreviews",
            "selfsubjectaccessreviews",
            "localsubjectaccessreviews",
            "selfsubjectrulesreviews",
        ),
    }.items()
    for resource in resources
)
"""What is not kept, or was never counted."""


class ResourceQuota(LookingPlugin):
    """The writes of a namespace that has quotas come one after the other, or two could use the same room."""

    name = "ResourceQuota"
    operations = WRITES

    def __init__(self) -> None:
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def initialize(self, provided: Any) -> None:
        super().initialize(provided)
        self._live: Lookup = provided.objects
        client: Client = provided.client
        self._client = client.acting_as("system:apiserver", groups=("system:masters",), agent="kube-apiserver/quota")

    def concerns(self, operation: Operation, resource: GroupResource) -> bool:
        return resource not in _NEVER and may_cost(operation, resource)

    async def validate(self, attributes: Attributes) -> None:
        is_namespace = attributes.kind.group == "" and attributes.kind.kind == "Namespace"
        if not attributes.namespace or is_namespace or not is_measured(attributes):
            return
        if not await self.objects.list("resourcequotas", attributes.namespace):
            return
        turn = self._turns.setdefault(attributes.namespace, asyncio.Lock())
        async with turn:
            await self._charge(attributes)

    async def _charge(self, attributes: Attributes) -> None:
        """Who changes a quota meanwhile, the controller for one, is listened to: those that were not written yet are
        looked at again."""
        waiting: set[str] | None = None
        for attempt in range(_ATTEMPTS):
            quotas = await self._live.list("resourcequotas", attributes.namespace)
            quotas = [each for each in quotas if waiting is None or each["metadata"]["name"] in waiting]
            due = charges(quotas, attributes)
            if attributes.dry_run:
                return
            waiting = {charge.quota["metadata"]["name"] for charge in due}
            for charge in due:
                try:
                    await self._write(charge)
                except Conflict:
                    if attempt == _ATTEMPTS - 1:
                        raise
                    continue
                waiting.discard(charge.quota["metadata"]["name"])
            if not waiting:
                return
            await asyncio.sleep(random.uniform(0, min(attempt * 0.01, _LONGEST_PAUSE_SECONDS)))  # noqa: S311 - turns

    async def _write(self, charge: Charge) -> None:
        quota = charge.quota
        status = (quota.get("status") or {}) | {"used": as_text(charge.used)}
        try:
            await self._client.resource(_QUOTAS, quota["metadata"]["namespace"]).update(
                quota | {"status": status}, subresource="status"
            )
        except NotFound:
            return  # what is no longer there limits nothing
