"""POST: decode, say who owns the fields, admit, store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from localplane.apimachinery.errors import RequestEntityTooLarge
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.media_types import MediaType
from localplane.apiserver.endpoints.options.write_options import write_options
from localplane.apiserver.endpoints.representation.negotiation import negotiated
from localplane.apiserver.endpoints.representation.response import check_form, respond_object
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.endpoints.writes import body
from localplane.apiserver.endpoints.writes.admission import RequestAdmission
from localplane.apiserver.endpoints.writes.field_managers import manager_of, track
from localplane.apiserver.endpoints.writes.owner_references import drop_duplicate_owners
from localplane.apiserver.registry.metadata import ensure_namespace, metadata_of, wipe_server_fields
from localplane.apiserver.registry.rest import Creater, NamedCreater, Result, WriteOptions
from localplane.apiserver.request import Answer, Request

Store = Callable[..., Awaitable[Result]]
"""Stores an object, or raises APIErrors; given as `create` and `create_named` want it."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request to create, before its object is read."""

    data: bytes
    media_type: MediaType
    options: WriteOptions


async def create(served: Served, storage: Creater, request: Request) -> Answer:
    return await _create(served, request, partial(storage.create, request))


async def create_named(served: Served, storage: NamedCreater, request: Request) -> Answer:
    return await _create(served, request, partial(storage.create_named, request, request.info.name))


async def _create(served: Served, request: Request, store: Store) -> Answer:
    target = negotiated(served, request)
    if served.is_stored:  # others may answer with a Status, which has one form
        check_form(served, target, is_list=False)
    media_type = body.media_type_of(request)
    data = await body.read(request)
    sent = _Sent(data, media_type, write_options(request.query, "CreateOptions"))
    warned = len(request.warnings)
    try:
        result = await _stored(served, request, store, sent, tracked=True)
    except RequestEntityTooLarge:
        # It may be the managers of its fields that make it too large, and an object can do without them.
        del request.warnings[warned:]
        result = await _stored(served, request, store, sent, tracked=False)
    return await respond_object(served, request, result, target, 201)


async def _stored(served: Served, request: Request, store: Store, sent: _Sent, *, tracked: bool) -> Result:
    options = sent.options

    def decoded() -> JSONObject:
        obj = body.decode(served, request, sent.data, sent.media_type, field_validation=options.field_validation)
        return served.converter.to_hub(obj, served.group_version.version)

    hub = await request.do(decoded)
    if not served.storage.preserves_metadata:
        wipe_server_fields(metadata_of(hub))
    ensure_namespace(metadata_of(hub), expected=request.namespace if served.namespaced else "")
    drop_duplicate_owners(request, hub)
    if tracked:
        await request.do(partial(track, served, hub, {}, manager=manager_of(request, options)))
    else:
        metadata_of(hub).pop("managedFields", None)
    review = RequestAdmission(served, request, options)
    hub = await review.admit_create(hub)
    drop_duplicate_owners(request, hub, after_admission=True)
    validate = review.validation_on_create()
    try:
        return await store(hub, validate=validate, options=options)
    finally:
        review.leave()
