"""The end of a definition: first its objects go, then itself. Kubernetes: pkg/controller/finalizer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import DeleteOptions
from localplane.apiserver.registry.rest import ListOptions as Selection
from localplane.apiserver.registry.store import Store
from localplane.apiserver.request import Query, Request, RequestInfo, User
from localplane.apiserver.storage.errors import KeyNotFound, PreconditionFailed, StorageError
from localplane.apiserver.storage.interface import ListOptions, Preconditions, UpdateOptions
from localplane.client.workqueue.supervision import Contained

from .status import condition, is_true, set_condition, write_status
from .store import FINALIZER

Instances = Callable[[str], Definition | None]
"""The custom resource that a definition defines, by its name; None if it is not served."""

_log = logging.getLogger(__name__)
_SELF: Final = User("system:apiserver", groups=("system:masters",))
_FIRST_PAUSE, _LONGEST_PAUSE, _PATIENCE = 0.01, 1.0, 60.0
_DELETING: Final = Preconditions(deleting=True)  # a definition comes back when a cluster is put back to what it was
_IN_PROGRESS: Final = condition(
    "Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"
)
_NEVER: Final = condition("Terminating", "False", "NeverEstablished", "resource was never established")
_DONE: Final = condition("Terminating", "False", "InstanceDeletionCompleted", "removed all instances")


class _Failed(Exception):
    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.condition = condition("Terminating", "True", reason, message)


class Finalizer:
    """`gone` is told of a definition that its finalizer was taken from, and waited for."""

    def __init__(self, definition: Definition, instances: Instances, gone: Callable[[str], Awaitable[None]]) -> None:
        self._definition = definition
        self._instances = instances
        self._gone = gone
        self._waiting: asyncio.Queue[str] = asyncio.Queue()
        self._busy: set[str] = set()

    def add(self, name: str) -> None:
        """A definition that is to go. One that is going already is not begun twice."""
        if name not in self._busy:
            self._busy.add(name)
            self._waiting.put_nowait(name)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            while True:
                tasks.create_task(self._finalize(await self._waiting.get()))

    async def _finalize(self, name: str) -> None:
        pause = _LONGEST_PAUSE
        while not await self._try_contained(name):
            await asyncio.sleep(pause)
            pause = min(pause * 2, _PATIENCE)
        self._busy.discard(name)
        await self._gone(name)

    async def _try_contained(self, name: str) -> bool:
        with Contained(lambda: f"finalizing CustomResourceDefinition {name}"):
            return await self._try(name)
        return False

    async def _try(self, name: str) -> bool:
        """Whether there is nothing more to do."""
        try:
            obj = await self._read(name)
            if obj is None or not needs_finalizing(obj):
                return True
            await write_status(self._definition, name, _with(_IN_PROGRESS))
            done = dict(_NEVER)
            if is_true(obj, "Established"):
                await self._delete_instances(name, obj)
                done = dict(_DONE)
            await self._release(name, obj["metadata"]["uid"], done)
        except KeyNotFound:
            return True
        except _Failed as failure:
            _log.warning("the custom resources of %s stay: %s", name, failure)
            await write_status(self._definition, name, _with(failure.condition))
            return False
        except (StorageError, APIError) as error:
            _log.warning("%s can't be finalized: %s", name, error)
            return False
        return True

    async def _read(self, name: str) -> JSONObject | None:
        try:
            stored = await self._definition.storage.get(self._definition.key("", name))
        except KeyNotFound:
            return None
        return self._definition.converter.hub_of(stored)

    async def _delete_instances(self, name: str, obj: JSONObject) -> None:
        instances = self._instances(name)
        if instances is None:
            return
        failures: list[str] = []
        key = self._definition.key("", name)

        async def still_going(_: JSONObject | None = None) -> None:
            if (stored := self._definition.storage.peek(key)) is not None:
                _DELETING.check(key, stored)

        for namespace in await _namespaces(instances):
            try:
                await Store(instances).delete_collection(
                    _request(obj, namespace), validate=still_going, options=DeleteOptions(), selection=Selection()
                )
            except APIError as error:
                failures.append(str(error))
        if failures:
            shown = failures[0] if len(failures) == 1 else f"[{', '.join(failures)}]"
            raise _Failed("InstanceDeletionFailed", f"could not issue all deletes: {shown}")
        await _wait_until_gone(instances, still_going)

    async def _release(self, name: str, uid: str, done: JSONObject) -> None:
        """Without its last finalizer it goes at once."""
        definition, converter = self._definition, self._definition.converter
        key, others = definition.key("", name), list[str]()

        async def step(current: JSONObject) -> JSONObject:
            obj = converter.from_storage(current)
            others[:] = [each for each in obj["metadata"].get("finalizers") or () if each != FINALIZER]
            if not others:
                return current
            obj["metadata"]["finalizers"] = list(others)
            set_condition(obj, done)
            return converter.to_storage(obj)

        preconditions = replace(_DELETING, uid=uid)
        try:
            await definition.storage.guaranteed_update(key, step, UpdateOptions(preconditions=preconditions))
            if not others:
                await definition.storage.delete(key, preconditions=preconditions)
        except PreconditionFailed:
            pass  # another definition has its name by now, or it stays


def needs_finalizing(obj: JSONObject) -> bool:
    metadata = obj["metadata"]
    return bool(metadata.get("deletionTimestamp")) and FINALIZER in (metadata.get("finalizers") or ())


def _with(new: JSONObject) -> Callable[[JSONObject], JSONObject | None]:
    def change(obj: JSONObject) -> JSONObject | None:
        if not needs_finalizing(obj):
            return None
        changed: JSONObject = {"status": copied(obj.get("status") or {})}
        set_condition(changed, dict(new))
        status: JSONObject = changed["status"]
        return status

    return change


async def _namespaces(instances: Definition) -> list[str]:
    """Where there are objects; "" for those that are in none."""
    found = await instances.storage.list(instances.place(""), ListOptions())
    if not instances.namespaced:
        return [""] if found.items else []
    return sorted({each.key.rpartition("/")[0].rpartition("/")[2] for each in found.items})


async def _wait_until_gone(instances: Definition, still_going: Callable[[], Awaitable[None]]) -> None:
    """Their finalizers may take their time."""
    pause, until = _FIRST_PAUSE, asyncio.get_running_loop().time() + _PATIENCE
    while await _namespaces(instances):
        await still_going()
        if asyncio.get_running_loop().time() > until:
            why = "could not confirm zero CustomResources remaining: timed out waiting for the condition"
            raise _Failed("InstanceDeletionCheck", why)
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _request(obj: JSONObject, namespace: str) -> Request:
    """A deletion of ours, for hooks that ask who deletes."""
    spec = obj["spec"]
    info = RequestInfo(
        is_resource=True,
        path="",
        verb="deletecollection",
        api_prefix="apis",
        group=spec["group"],
        version=next(each["name"] for each in spec["versions"] if each.get("storage")),
        namespace=namespace,
        resource=spec["names"]["plural"],
    )

    async def no_body(limit: int) -> bytes:  # noqa: ARG001 - there is nothing to read
        return b""

    return Request("DELETE", "", Query({}), {}, no_body, user=_SELF, info=info)
