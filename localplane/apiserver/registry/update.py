"""Update: inside storage's compare-and-swap loop, because hooks and admission need the live object.

Kubernetes: registry/generic/registry/store.go, Update, and registry/rest/update.go, BeforeUpdate.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from localplane.apimachinery.errors import Conflict, Invalid, NotFound
from localplane.apimachinery.fieldpath import invalid
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.managedfields import keep_times_of_unchanged
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objectmeta import validate_object_meta, validate_object_meta_update
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.long_work import is_heavy, with_data
from localplane.apiserver.request import Request
from localplane.apiserver.storage.errors import InvalidResourceVersion, KeyNotFound, PreconditionFailed, StorageError
from localplane.apiserver.storage.interface import Preconditions, UpdateOptions
from localplane.apiserver.storage.keys import parse_resource_version
from localplane.apiserver.storage.objects import StoredObject

from . import create as creating
from .errors import interpret, invalid_version_of_object
from .metadata import (
    content_differs,
    ensure_namespace,
    finalizers_of,
    keep_generation,
    keep_server_fields,
    metadata_of,
    set_or_drop,
)
from .rest import Update, Updated
from .strategy import judged

if TYPE_CHECKING:
    from .definition import Definition

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


class _LastFinalizerRemoved(Exception):
    """Leaves the loop: an object that waited for its finalizers is deleted instead of being written."""

    def __init__(self, obj: JSONObject, uid: str) -> None:
        super().__init__()
        self.object = obj
        self.uid = uid


async def update(definition: Definition, request: Request, update: Update) -> Updated:
    name, options, allow_create = update.name, update.options, update.allow_create
    key = definition.key(request.namespace, name)
    converter = definition.converter
    created = False
    live = definition.storage.peek(key)
    if live is not None and not request.heavy:
        request.heavy = is_heavy(live.data)

    async def step(current: JSONObject) -> JSONObject:
        """One turn of the loop: from what is stored to what should be."""
        nonlocal created
        created = not current
        if created:
            if not allow_create:
                raise NotFound.of(definition.resource, name)
            obj = await update.changed({})
            await creating.prepare(definition, request, obj, validate=update.validate_create)
        else:
            old = await request.do(partial(converter.from_storage, current))
            obj = await with_data(partial(update.changed, old))
            _check_resource_version(definition, name, metadata_of(obj), metadata_of(old))
            await request.do(partial(_prepare, definition, request, obj, old))
            await judged(request, partial(_judge, definition, request, obj, old))
            if update.validate_update is not None:
                await update.validate_update(obj, old)
            if _should_be_deleted(obj, old) and not definition.strategy.is_held(obj):
                raise _LastFinalizerRemoved(obj, metadata_of(old).get("uid", ""))
            seen = old | {"apiVersion": obj.get("apiVersion")}
            obj = await request.do(partial(keep_times_of_unchanged, seen, obj))
        return converter.to_storage(obj)

    preconditions = Preconditions(uid=options.precondition_uid)
    try:
        if options.dry_run:
            current = await _current(definition, key, preconditions, allow_create=allow_create)
            return Updated(converter.from_storage(await step(current)), created)
        stored = await definition.storage.guaranteed_update(
            key,
            step,
            UpdateOptions(ignore_not_found=allow_create, preconditions=preconditions, ttl=definition.strategy.ttl),
        )
    except _LastFinalizerRemoved as last:
        if not options.dry_run:
            await _delete_instead(definition, key, name, last.uid)
        # The answer is the object as the client sent it: it asked for an update, and this is what it came to.
        return Updated(last.object, created=False)
    except StorageError as error:
        raise interpret(error, resource=definition.resource, name=name) from error
    return Updated(stored, created)


def _prepare(definition: Definition, request: Request, obj: JSONObject, old: JSONObject) -> None:
    """Make a changed object ready to be judged."""
    strategy = definition.strategy
    ensure_namespace(metadata_of(obj), expected=request.namespace if definition.namespaced else "")
    keep_generation(metadata_of(obj), metadata_of(old))
    managers = metadata_of(obj).get("managedFields")
    if definition.has_status and strategy.resets_status:
        obj.pop("status", None)
        if "status" in old:
            obj["status"] = copied(old["status"])
    strategy.prepare_for_update(request, obj, old)
    metadata, old_metadata = metadata_of(obj), metadata_of(old)
    set_or_drop(metadata, "managedFields", managers)  # a hook may have put the old metadata back
    if strategy.tracks_generation and content_differs(obj, old, has_status=definition.has_status):
        metadata["generation"] = (old_metadata.get("generation") or 0) + 1
    keep_server_fields(metadata, old_metadata)


def _judge(definition: Definition, request: Request, obj: JSONObject, old: JSONObject) -> None:
    """Make it ready to be stored, or raise Invalid with all that is wrong with it."""
    strategy, metadata, old_metadata = definition.strategy, metadata_of(obj), metadata_of(old)
    common = [
        *validate_object_meta(metadata, namespaced=definition.namespaced, validate_name=path_segment_name),
        *validate_object_meta_update(metadata, old_metadata),
    ]
    particular = [
        *strategy.validate_update(request, obj, old),
        *definition.schema_errors(request.info.version, obj, old),
    ]
    errors = [*common, *particular]
    if errors:
        raise definition.invalid(metadata.get("name", ""), errors)
    request.warnings.extend(strategy.warnings_on_update(request, obj, old))
    strategy.canonicalize(obj)


def _check_resource_version(definition: Definition, name: str, metadata: JSONObject, old_metadata: JSONObject) -> None:
    """Optimistic concurrency: a client that names a version must have seen the live one."""
    try:
        seen = parse_resource_version(str(metadata.get("resourceVersion") or ""))
    except InvalidResourceVersion as error:
        raise invalid_version_of_object(error) from error
    if seen == 0:
        if definition.strategy.allow_unconditional_update:
            metadata["resourceVersion"] = old_metadata.get("resourceVersion", "")
            return
        # It calls the resource a kind, and clients know it so.
        kind = GroupKind(definition.resource.group, definition.resource.resource)
        must = invalid("metadata.resourceVersion", 0, "must be specified for an update")
        raise Invalid.of(kind, name, [must])
    if str(seen) != old_metadata.get("resourceVersion"):
        raise Conflict.of(definition.resource, name, MODIFIED)


def _should_be_deleted(obj: JSONObject, old: JSONObject) -> bool:
    """The last finalizer of an object that was waiting for it has gone."""
    old_metadata = metadata_of(old)
    return (
        not finalizers_of(obj)
        and bool(old_metadata.get("deletionTimestamp"))
        and not old_metadata.get("deletionGracePeriodSeconds")
    )


async def _delete_instead(definition: Definition, key: str, name: str, uid: str) -> None:
    """By its uid: somebody else may have removed the last finalizer too, and what is there now is another object, or
    the same as it was before it was deleted, put back from a snapshot."""
    try:
        await definition.storage.delete(key, preconditions=Preconditions(uid=uid, deleting=True))
    except (KeyNotFound, PreconditionFailed):
        pass
    except StorageError as error:
        raise interpret(error, resource=definition.resource, name=name) from error


async def _current(definition: Definition, key: str, preconditions: Preconditions, *, allow_create: bool) -> JSONObject:
    """What a dry run starts from: nothing is written, so there is no loop."""
    try:
        stored = await definition.storage.get(key)
    except KeyNotFound:
        if not allow_create:
            raise
        preconditions.check(key, StoredObject.from_object(key, {}, 0))
        return {}
    preconditions.check(key, stored)
    return stored.decode()
