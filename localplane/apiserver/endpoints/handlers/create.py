"""POST: decode, say who owns the fields, admit, store."""

from __future__ import annotations

from functools import partial

from localplane.apimachinery.errors import RequestEntityTooLarge
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.media_types import MediaType
from localplane.apiserver.endpoints import body
from localplane.apiserver.endpoints.admitting import Review
from localplane.apiserver.endpoints.field_management import manager_of, track
from localplane.apiserver.endpoints.negotiation import negotiated
from localplane.apiserver.endpoints.owner_references import drop_duplicate_owners
from localplane.apiserver.endpoints.respond import check_form, respond_object
from localplane.apiserver.endpoints.scope import Scope
from localplane.apiserver.endpoints.write_options import write_options
from localplane.apiserver.registry.metadata import ensure_namespace, metadata_of, wipe_server_fields
from localplane.apiserver.registry.rest import NamedCreater, Result, WriteOptions
from localplane.apiserver.request import Answer, Request


async def create(scope: Scope, request: Request) -> Answer:
    target = negotiated(scope, request)
    check_form(scope, target, is_list=False)
    media_type = body.media_type_of(scope, request)
    data = await body.read(request)
    options = write_options(request.query, "CreateOptions")
    told = len(request.warnings)
    try:
        result = await _create(scope, request, data, media_type, options, tracked=True)
    except RequestEntityTooLarge:
        # It may be the managers of its fields that make it too large, and an object can do without them.
        del request.warnings[told:]
        result = await _create(scope, request, data, media_type, options, tracked=False)
    return await respond_object(scope, request, result, target, 201)


async def _create(
    scope: Scope, request: Request, data: bytes, media_type: MediaType, options: WriteOptions, *, tracked: bool
) -> Result:
    def decoded() -> JSONObject:
        obj = body.decode(scope, request, data, media_type, field_validation=options.field_validation)
        return scope.converter.to_hub(obj, scope.group_version.version)

    hub = await request.do(decoded)
    if not getattr(scope.storage, "preserves_metadata", False):
        wipe_server_fields(metadata_of(hub))
    ensure_namespace(metadata_of(hub), expected=request.namespace if scope.namespaced else "")
    drop_duplicate_owners(request, hub)
    if tracked:
        await request.do(partial(track, scope, hub, {}, manager=manager_of(request, options)))
    else:
        metadata_of(hub).pop("managedFields", None)
    review = Review(scope, request, options)
    hub = await review.admit_create(hub)
    drop_duplicate_owners(request, hub, after_admission=True)
    validate = review.validation_on_create()
    name = request.info.name
    try:
        if name and isinstance(scope.storage, NamedCreater):
            return await scope.storage.create_named(request, name, hub, validate=validate, options=options)
        created: Result = await scope.storage.create(request, hub, validate=validate, options=options)
    finally:
        review.leave()
    return created
