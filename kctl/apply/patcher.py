"""Sending a patch for one object, again while others change it. Kubernetes: kubectl/pkg/cmd/apply/patcher.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kctl.errors import KctlError
from kctl.printers.objects import sorted_keys
from kctl.reporting import with_source
from localplane.apimachinery.errors import APIError, Conflict, Invalid
from localplane.apimachinery.gotext import go_json
from localplane.apimachinery.objects import JSONObject

from . import last_applied, merging

if TYPE_CHECKING:
    from kctl.deleting import Deletion
    from kctl.resolve import Info
    from localplane.apimachinery.schema import Node

    from .schemas import PatchSchemas


_RETRIES = 5
_BACK_OFF = 1.0
_SOURCES = ("openapi v3 spec", "openapi spec")


class Patched(NamedTuple):
    """`text` is the patch; `{}` if nothing was sent."""

    text: str
    object: JSONObject


class PatchRefused(Exception):
    """`text` is the patch, `error` why it was not taken."""

    def __init__(self, text: str, error: Exception) -> None:
        super().__init__(str(error))
        self.text = text
        self.error = error


class PatcherOptions(NamedTuple):
    """`forced`: what can't be patched is deleted so and created anew. `pinned`: only if nobody has changed it since."""

    field_manager: str
    field_validation: str = ""
    dry_run: str = "none"
    overwrite: bool = True
    forced: Deletion | None = None
    pinned: bool = False
    openapi: bool = True
    """Learn from the server's documents how lists merge; else from what we know ourselves."""


class Patcher:
    def __init__(self, schemas: PatchSchemas, options: PatcherOptions) -> None:
        self._schemas = schemas
        self._options = options

    async def patch(self, info: Info, current: JSONObject, modified: str) -> Patched:
        """Make `current` what `modified` says. Raises PatchRefused, KctlError."""
        attempt = 0
        while True:
            patch = await self._make(info, current, modified)
            if not patch.value:
                return Patched("{}", current)
            if self._options.dry_run == "client":
                return Patched(patch.text, await self._locally(info, current, patch))
            try:
                return Patched(patch.text, await self._send(info, current, patch))
            except Conflict as error:
                attempt += 1
                if attempt > _RETRIES or self._options.pinned:
                    return await self._refused(info, current, modified, patch, error)
            except APIError as error:
                return await self._refused(info, current, modified, patch, error)
            if attempt > 1:
                from localplane.client.driving import sleep

                await sleep(_BACK_OFF)
            current = await info.resource.get(info.name)

    async def _make(self, info: Info, current: JSONObject, modified: str) -> merging.Patch:
        node = await self._node(info, current)
        try:
            return merging.three_way(current, modified, node, overwrite=self._options.overwrite)
        except merging.MergeFailed as error:
            for source in _SOURCES if self._options.openapi and node is not None else ():
                info.session.say(f"warning: error calculating patch from {source}: {error.reason}\n")
            raise

    async def _node(self, info: Info, current: JSONObject) -> Node | None:
        if not self._options.openapi:
            from kctl.structs import patch_node

            if (known := patch_node(current)) is not None:
                return known
        return await self._schemas.lookup(info.rest_mapping.kind)

    async def _send(self, info: Info, current: JSONObject, patch: merging.Patch) -> JSONObject:
        value = patch.value
        if self._options.pinned:
            version = (current.get("metadata") or {}).get("resourceVersion", "")
            value = {**value, "metadata": {**(value.get("metadata") or {}), "resourceVersion": version}}
        return await info.resource.patch(
            info.name,
            go_json(sorted_keys(value)).encode(),
            patch.type,
            dry_run=self._options.dry_run == "server",
            field_manager=self._options.field_manager,
            field_validation=self._options.field_validation,
        )

    async def _locally(self, info: Info, current: JSONObject, patch: merging.Patch) -> JSONObject:
        from localplane.apimachinery.patch import PatchError, merge_patch
        from localplane.apimachinery.patch.strategic import merge
        from localplane.apimachinery.patch.values import copied

        node = await self._node(info, current)
        try:
            if node is not None:
                return merge(node, copied(current), copied(patch.value))
            merged: JSONObject = merge_patch.apply(patch.value, current)
        except PatchError as error:
            raise KctlError(f"applying patch locally: {error}") from error
        return merged

    async def _refused(
        self, info: Info, current: JSONObject, modified: str, patch: merging.Patch, error: APIError
    ) -> Patched:
        forced = self._options.forced
        if forced is not None and isinstance(error, (Conflict, Invalid)):
            return await self._recreate(info, current, modified, forced)
        raise PatchRefused(patch.text, with_source(error, "patching", info.source)) from error

    async def _recreate(self, info: Info, current: JSONObject, modified: str, forced: Deletion) -> Patched:
        from kctl.deleting.waiting import poll_until_gone

        try:
            await forced.delete(info)
            await poll_until_gone(info, forced.timeout)
        except (APIError, KctlError) as error:
            raise PatchRefused(modified, error) from error
        try:
            return Patched(modified, await self._create(info, _loaded(modified)))
        except APIError as error:
            try:
                restored = await self._create(info, _new(current))
            except APIError as second:
                raise KctlError(
                    "An error occurred force-replacing the existing object with the newly provided one:\n\n"
                    f"{error}.\n\nAdditionally, an error occurred attempting to restore the original object:\n\n"
                    f"{second}"
                ) from error
            info.refresh(restored)
            raise PatchRefused(modified, error) from error

    async def _create(self, info: Info, obj: JSONObject) -> JSONObject:
        return await info.resource.create(
            last_applied.written(obj),
            field_manager=self._options.field_manager,
            field_validation=self._options.field_validation,
        )


def _loaded(text: str) -> JSONObject:
    import orjson

    obj: JSONObject = orjson.loads(text)
    return obj


def _new(obj: JSONObject) -> JSONObject:
    """To be created again, an object must not say which version it is."""
    metadata = {key: value for key, value in (obj.get("metadata") or {}).items() if key != "resourceVersion"}
    return {**obj, "metadata": metadata}
