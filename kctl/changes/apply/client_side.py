"""Sending a patch for one object, again while others change it. Kubernetes: kubectl/pkg/cmd/apply/patcher.go.

One object, three ways: what was applied, what is applied, what is there. Kubernetes: ApplyOptions.applyOneObject.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kctl import program
from kctl.changes.apply import last_applied
from kctl.changes.apply.merge import MergeFailed, Patch, three_way
from kctl.changes.apply.options import ApplyOptions
from kctl.changes.apply.schemas import PatchSchemas
from kctl.changes.deletion import Deletion, poll_until_gone
from kctl.errors import KctlError, with_source
from kctl.objects import Info
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, Conflict, Invalid, NotFound
from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.apimachinery.patch import PatchError, merge_patch
from localplane.apimachinery.patch.strategic import merge
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import Node
from localplane.apis import patch_nodes
from localplane.client.transport.driver import sleep

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
                await sleep(_BACK_OFF)
            current = await info.resource.get(info.name)

    async def _make(self, info: Info, current: JSONObject, modified: str) -> Patch:
        node = await self._node(info, current)
        try:
            return three_way(current, modified, node, overwrite=self._options.overwrite)
        except MergeFailed as error:
            for source in _SOURCES if self._options.openapi and node is not None else ():
                info.session.say(f"warning: error calculating patch from {source}: {error.reason}\n")
            raise

    async def _node(self, info: Info, current: JSONObject) -> Node | None:
        if not self._options.openapi and (known := patch_nodes.patch_node(current)) is not None:
            return known
        return await self._schemas.lookup(info.rest_mapping.kind)

    async def _send(self, info: Info, current: JSONObject, patch: Patch) -> JSONObject:
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

    async def _locally(self, info: Info, current: JSONObject, patch: Patch) -> JSONObject:
        node = await self._node(info, current)
        try:
            if node is not None:
                return merge(node, copied(current), copied(patch.value))
            merged: JSONObject = merge_patch.apply(patch.value, current)
        except PatchError as error:
            raise KctlError(f"applying patch locally: {error}") from error
        return merged

    async def _refused(self, info: Info, current: JSONObject, modified: str, patch: Patch, error: APIError) -> Patched:
        forced = self._options.forced
        if forced is not None and isinstance(error, (Conflict, Invalid)):
            return await self._recreate(info, current, modified, forced)
        raise PatchRefused(patch.text, with_source(error, "patching", info.source)) from error

    async def _recreate(self, info: Info, current: JSONObject, modified: str, forced: Deletion) -> Patched:
        try:
            await forced.delete(info)
            await poll_until_gone(info, forced.timeout)
        except (APIError, KctlError) as error:
            raise PatchRefused(modified, error) from error
        try:
            return Patched(modified, await self._create(info, _new(_loaded(modified))))
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


class ClientSide:
    def __init__(self, session: Session, options: ApplyOptions, schemas: PatchSchemas) -> None:
        self._session = session
        self._options = options
        self._patcher = Patcher(
            schemas,
            PatcherOptions(
                field_manager=options.field_manager,
                field_validation=options.field_validation,
                dry_run=options.dry_run,
                overwrite=options.overwrite,
                forced=options.deletion if options.force else None,
                openapi=options.openapi,
            ),
        )

    async def apply(self, info: Info) -> str:
        """What was done: created, configured or unchanged. `info` has the object as it is afterwards."""
        assert info.object is not None
        applied = info.object
        modified = last_applied.encoded(last_applied.annotated(applied))
        try:
            if not info.name:
                raise KctlError("resource name may not be empty")
            current = await info.get()
        except NotFound:
            info.object = applied
            await self._create(info)
            return "created"
        except (APIError, KctlError) as error:
            doing = f"retrieving current configuration of:\n{described(info)}\nfrom server for:"
            raise with_source(error, doing, info.source) from error
        if last_applied.original(current) is None:
            self._warn_of_missing(info)
        try:
            patched = await self._patcher.patch(info, current, modified)
        except PatchRefused as refusal:
            doing = f"applying patch:\n{refusal.text}\nto:\n{described(info)}\nfor:"
            raise with_source(refusal.error, doing, info.source) from refusal
        except KctlError as error:
            failed = error if self._options.dry_run == "client" else with_source(error, "patching", info.source)
            doing = f"applying patch:\n\nto:\n{described(info)}\nfor:"
            raise with_source(failed, doing, info.source) from error
        info.refresh(patched.object)
        warn_if_deleting(self._session, patched.object)
        return "unchanged" if patched.text == "{}" else "configured"

    async def _create(self, info: Info) -> None:
        assert info.object is not None
        obj = without_nulls(last_applied.annotated(info.object))
        obj["metadata"].pop("resourceVersion", None)
        info.object = obj
        if self._options.dry_run == "client":
            return
        try:
            created = await info.resource.create(
                last_applied.written(obj),
                dry_run=self._options.dry_run == "server",
                field_manager=self._options.field_manager,
                field_validation=self._options.field_validation,
            )
        except APIError as error:
            raise with_source(error, "creating", info.source) from error
        info.refresh(created)

    def _warn_of_missing(self, info: Info) -> None:
        by = program.name()
        self._session.say(
            f"Warning: resource {info.shown} is missing the {last_applied.ANNOTATION} annotation which is required by "
            f"{by} apply. {by} apply should only be used on resources created declaratively by either {by} create "
            f"--save-config or {by} apply. The missing annotation will be patched automatically.\n"
        )


def described(info: Info) -> str:
    """Kubernetes: Info.String."""
    mapping = info.rest_mapping
    kind = f"{mapping.kind.group}/{mapping.kind.version}, Kind={mapping.kind.kind}"
    return (
        f"Resource: {go_quote(str(mapping.resource))}, GroupVersionKind: {go_quote(kind)}\n"
        f"Name: {go_quote(info.name)}, Namespace: {go_quote(info.namespace)}"
    )


def warn_if_deleting(session: Session, obj: JSONObject | None) -> None:
    metadata = (obj or {}).get("metadata") or {}
    if metadata.get("deletionTimestamp"):
        session.say(f"Warning: Detected changes to resource {metadata.get('name')} which is currently being deleted.\n")


def without_nulls(value: Any) -> Any:
    """A copy in which no map has a null."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value
