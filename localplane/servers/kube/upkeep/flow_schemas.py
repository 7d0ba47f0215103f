"""Flow schemas: those in force are told to the filters, and each says whether its priority level is there.

Kubernetes: apiserver/pkg/util/flowcontrol/apf_controller.go.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import now
from localplane.apiserver.flow_control import FlowSchemas
from localplane.apiserver.flow_control.flow_schemas import level_of
from localplane.client import (
    Client,
    ClientError,
    GroupVersionResource,
    HandlerFunctions,
    PatchType,
    SharedInformerFactory,
)
from localplane.client.workqueue.rate_limiters import Backoff, BackoffPolicy

_GROUP_VERSION: Final = "flowcontrol.apiserver.k8s.io/v1"
_SCHEMAS: Final = GroupVersionResource("flowcontrol.apiserver.k8s.io", "v1", "flowschemas")
_LEVELS: Final = GroupVersionResource("flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations")
_MANAGER: Final = "api-priority-and-fairness-config-consumer-v1"
_log = logging.getLogger(__name__)


class FlowSchemaStatuses:
    def __init__(self, client: Client, informers: SharedInformerFactory, schemas: FlowSchemas) -> None:
        self._client = client
        self._schemas = informers.informer(_SCHEMAS)
        self._levels = informers.informer(_LEVELS)
        self._in_force = schemas
        self._changed = asyncio.Event()

    async def run(self) -> None:
        for informer in (self._schemas, self._levels):
            await informer.wait_for_sync()
        listeners = [
            informer.add_handler(
                HandlerFunctions(
                    add=lambda _: self._changed.set(),
                    update=self._hear_change,
                    delete=lambda _: self._changed.set(),
                )
            )
            for informer in (self._schemas, self._levels)
        ]
        try:
            await self._follow()
        finally:
            for listener in listeners:
                listener.remove()

    def _hear_change(self, old: JSONObject, new: JSONObject) -> None:
        if old.get("spec") != new.get("spec") or old["metadata"]["uid"] != new["metadata"]["uid"] or not _says(new):
            self._changed.set()

    async def _follow(self) -> None:
        backoff = Backoff(BackoffPolicy())
        while True:
            self._changed.clear()
            if await self._digest():
                backoff = Backoff(BackoffPolicy())
                await self._changed.wait()
            else:
                await asyncio.sleep(backoff.pause().total_seconds())

    async def _digest(self) -> bool:
        """Whether all was written. The filters know before anybody can read it."""
        schemas, levels = self._schemas.lister.list(), self._levels.lister.list()
        self._in_force.replace(schemas, levels)
        names = {level["metadata"]["name"] for level in levels}
        complete = True
        for schema in schemas:
            condition = _condition(schema, is_there=level_of(schema) in names)
            if condition is not None:
                complete = await self._write(schema, condition) and complete
        return complete

    async def _write(self, schema: JSONObject, condition: JSONObject) -> bool:
        name = schema["metadata"]["name"]
        patch = {
            "apiVersion": _GROUP_VERSION,
            "kind": "FlowSchema",
            "metadata": {"name": name},
            "status": {"conditions": [condition]},
        }
        try:
            await self._client.resource(_SCHEMAS).patch(
                name, patch, PatchType.APPLY, subresource="status", field_manager=_MANAGER, force=True
            )
        except NotFound:
            return True
        except (APIError, ClientError) as error:
            _log.info("failed to set a status.condition for FlowSchema %s: %s", name, error)
            return False
        return True


def _condition(schema: JSONObject, *, is_there: bool) -> JSONObject | None:
    """What it should say; None if it does."""
    subject = f"This FlowSchema references the PriorityLevelConfiguration object named {go_quote(level_of(schema))}"
    condition: JSONObject = {
        "type": "Dangling",
        "status": "False" if is_there else "True",
        "reason": "Found" if is_there else "NotFound",
        "message": f"{subject} and it exists" if is_there else f"{subject} but there is no such object",
    }
    if condition.items() <= _said(schema).items():
        return None
    return condition | {"lastTransitionTime": now()}


def _said(schema: JSONObject) -> JSONObject:
    for condition in (schema.get("status") or {}).get("conditions") or ():
        if condition.get("type") == "Dangling":
            found: JSONObject = condition
            return found
    return {}


def _says(obj: JSONObject) -> bool:
    """A level says nothing, and need not; of a schema somebody may have taken the condition away."""
    return obj.get("kind") != "FlowSchema" or bool(_said(obj))
