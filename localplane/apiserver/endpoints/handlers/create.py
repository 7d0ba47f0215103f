"""POST: decode, admit, store."""

from __future__ import annotations

from localplane.apiserver.endpoints import body
from localplane.apiserver.endpoints.admitting import Review
from localplane.apiserver.endpoints.negotiation import negotiated
from localplane.apiserver.endpoints.owner_references import drop_duplicate_owners
from localplane.apiserver.endpoints.respond import check_form, respond_object
from localplane.apiserver.endpoints.scope import Scope
from localplane.apiserver.endpoints.write_options import write_options
from localplane.apiserver.registry.metadata import ensure_namespace, metadata_of, wipe_server_fields
from localplane.apiserver.registry.rest import NamedCreater
from localplane.apiserver.request import Answer, Request


async def create(scope: Scope, request: Request) -> Answer:
    target = negotiated(scope, request)
    check_form(scope, target, is_list=False)
    media_type = body.media_type_of(scope, request)
    data = await body.read(request)
    options = write_options(request.query, "CreateOptions")
    obj = body.decode(scope, request, data, media_type, field_validation=options.field_validation)
    hub = scope.converter.to_hub(obj, scope.group_version.version)
    wipe_server_fields(metadata_of(hub))
    ensure_namespace(metadata_of(hub), expected=request.namespace if scope.namespaced else "")
    drop_duplicate_owners(request, hub)
    review = Review(scope, request, options)
    hub = await review.admit_create(hub)
    drop_duplicate_owners(request, hub, after_admission=True)
    validate = review.validation_on_create()
    name = request.info.name
    if name and isinstance(scope.storage, NamedCreater):
        result = await scope.storage.create_named(request, name, hub, validate=validate, options=options)
    else:
        result = await scope.storage.create(request, hub, validate=validate, options=options)
    return respond_object(scope, result, target, 201)
