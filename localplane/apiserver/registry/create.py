"""Create: server-side metadata, the strategy's hooks, validation, admission, one write.

Kubernetes: registry/generic/registry/store.go, Create, and registry/rest/create.go, BeforeCreate.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from localplane.apimachinery.errors import AlreadyExists, resource_details
from localplane.apimachinery.fieldpath import collected
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import generate_name, path_segment_name
from localplane.apimachinery.objectmeta import validate_object_meta
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.request import Request
from localplane.apiserver.storage.errors import KeyExists, KeyNotFound, StorageError

from .errors import interpret
from .metadata import ensure_namespace, fill_server_fields, metadata_of, wipe_server_fields
from .rest import Result, ValidateCreate, WriteOptions
from .strategy import judged

if TYPE_CHECKING:
    from .definition import Definition

_GENERATED_NAME_ATTEMPTS = 8


async def create(
    definition: Definition,
    request: Request,
    obj: JSONObject,
    *,
    validate: ValidateCreate | None,
    options: WriteOptions,
) -> Result:
    """A name that the server makes up may be taken: it tries a few."""
    metadata = metadata_of(obj)
    if metadata.get("name") or not metadata.get("generateName"):
        return await _create_once(definition, request, obj, validate=validate, options=options)
    for _ in range(_GENERATED_NAME_ATTEMPTS - 1):
        try:
            return await _create_once(definition, request, _named(obj), validate=validate, options=options)
        except AlreadyExists:
            continue
    return await _create_once(definition, request, _named(obj), validate=validate, options=options)


def _named(obj: JSONObject) -> JSONObject:
    candidate: JSONObject = copied(obj)
    candidate["metadata"]["name"] = generate_name(candidate["metadata"]["generateName"])
    return candidate


async def _create_once(
    definition: Definition,
    request: Request,
    obj: JSONObject,
    *,
    validate: ValidateCreate | None,
    options: WriteOptions,
) -> Result:
    await prepare(definition, request, obj, validate=validate)
    metadata = metadata_of(obj)
    name, generated = metadata["name"], bool(metadata.get("generateName"))
    key = definition.key(metadata.get("namespace", ""), name)
    stored = definition.converter.to_storage(obj)
    try:
        if options.dry_run:
            await _refuse_if_there(definition, key)
            return definition.converter.from_storage(stored)
        return await definition.storage.create(key, stored, ttl=definition.strategy.ttl)
    except KeyExists as error:
        raise await _already_exists(definition, key, name, generated=generated) from error
    except StorageError as error:
        raise interpret(error, resource=definition.resource, name=name) from error


async def prepare(
    definition: Definition, request: Request, obj: JSONObject, *, validate: ValidateCreate | None
) -> None:
    """Make an object ready to be stored for the first time, or raise Invalid with all that is wrong with it."""
    await request.do(partial(_complete, definition, request, obj))
    await judged(request, partial(_judge, definition, request, obj))
    if validate is not None:
        await validate(obj)


def _complete(definition: Definition, request: Request, obj: JSONObject) -> None:
    strategy = definition.strategy
    metadata = metadata_of(obj)
    wipe_server_fields(metadata)
    fill_server_fields(metadata)
    ensure_namespace(metadata, expected=request.namespace if definition.namespaced else "")
    if strategy.tracks_generation:
        metadata["generation"] = 1
    if definition.has_status and strategy.resets_status:
        definition.reset_status(obj, request.info.version)
    strategy.prepare_for_create(request, obj)


def _judge(definition: Definition, request: Request, obj: JSONObject) -> None:
    strategy, metadata = definition.strategy, metadata_of(obj)
    # What is particular to the kind first, so that the common rules only speak where it has nothing to say.
    errors = collected(strategy.validate(request, obj), definition.schema_errors(request.info.version, obj))
    errors = errors or validate_object_meta(metadata, namespaced=definition.namespaced, validate_name=path_segment_name)
    if errors:
        raise definition.invalid(metadata.get("name", ""), errors)
    request.warnings.extend(strategy.warnings_on_create(request, obj))
    strategy.canonicalize(obj)


async def _refuse_if_there(definition: Definition, key: str) -> None:
    try:
        await definition.storage.get(key)
    except KeyNotFound:
        return
    raise KeyExists(key)


async def _already_exists(definition: Definition, key: str, name: str, *, generated: bool) -> AlreadyExists:
    """The error for a name that is taken, which also tells when the object in its way is on its way out."""
    message = f"{definition.resource} {go_quote(name)} already exists"
    if generated:
        message += ", the server was not able to generate a unique name for the object"
    try:
        there = (await definition.storage.get(key)).decode()
        if (there.get("metadata") or {}).get("deletionTimestamp"):
            message = f"object is being deleted: {message}"
    except StorageError:
        pass  # it is gone again, or can't be asked: the plain message is still true
    details = resource_details(definition.resource, name)
    return AlreadyExists(message, details=details, retry_after_seconds=1 if generated else 0)
