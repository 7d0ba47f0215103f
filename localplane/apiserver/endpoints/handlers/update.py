"""PUT: the whole object, against the version that the client saw."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from localplane.apimachinery.errors import BadRequest, RequestEntityTooLarge
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.endpoints.options.write_options import write_options
from localplane.apiserver.endpoints.representation.negotiation import negotiated
from localplane.apiserver.endpoints.representation.response import check_form, respond_object
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.endpoints.writes import body
from localplane.apiserver.endpoints.writes.admission import RequestAdmission
from localplane.apiserver.endpoints.writes.field_managers import manager_of, track
from localplane.apiserver.endpoints.writes.owner_references import drop_duplicate_owners
from localplane.apiserver.registry.metadata import ensure_namespace, metadata_of
from localplane.apiserver.registry.rest import Update, Updated, UpdatedObject, Updater, WriteOptions
from localplane.apiserver.request import Answer, Request


async def update(served: Served, storage: Updater, request: Request) -> Answer:
    target = negotiated(served, request)
    check_form(served, target, is_list=False)
    data = await body.read(request)
    options = write_options(request.query, "UpdateOptions")
    media_type = body.media_type_of(request)
    decode = partial(body.decode, served, request, data, media_type, field_validation=options.field_validation)
    obj = await request.do(decode)
    check_place(served, request, obj)
    options = replace(options, precondition_uid=metadata_of(obj).get("uid") or None)
    hub = await request.do(partial(served.converter.to_hub, obj, served.group_version.version))
    drop_duplicate_owners(request, hub)
    warned = len(request.warnings)
    try:
        done = await _update(served, storage, request, hub, options, tracked=True)
    except RequestEntityTooLarge:
        # It may be the managers of its fields that make it too large, and an object can do without them.
        del request.warnings[warned:]
        done = await _update(served, storage, request, hub, options, tracked=False)
    return await respond_object(served, request, done.result, target, 201 if done.created else 200)


async def _update(
    served: Served, storage: Updater, request: Request, hub: JSONObject, options: WriteOptions, *, tracked: bool
) -> Updated:
    review, manager = RequestAdmission(served, request, options), manager_of(request, options)

    async def updated(old: JSONObject) -> JSONObject:
        """Admission runs here, in the loop, because it is told the live object."""
        new = await request.do(partial(copied, hub))
        if tracked:
            await request.do(partial(track, served, new, old, manager=manager))
        else:
            metadata_of(new).pop("managedFields", None)
        new = await review.admit_update(new, old)
        drop_duplicate_owners(request, new, after_admission=True)
        return new

    return await write_reviewed(storage, request, review, updated, options=options)


async def write_reviewed(
    storage: Updater,
    request: Request,
    review: RequestAdmission,
    changed: UpdatedObject,
    *,
    options: WriteOptions,
    may_create: bool = False,
) -> Updated:
    """What `changed` makes of the live object, while the review lets it in."""
    try:
        return await storage.update(
            request,
            Update(
                request.info.name,
                changed,
                validate_create=review.validation_on_create(by_update=True),
                validate_update=review.validation_on_update(),
                allow_create=may_create,
                options=options,
            ),
        )
    finally:
        review.leave()


def check_place(served: Served, request: Request, obj: JSONObject) -> None:
    """The object is the one that the URL names, or raises BadRequest."""
    metadata, name = metadata_of(obj), request.info.name
    ensure_namespace(metadata, expected=request.namespace if served.namespaced else "")
    object_name = metadata.get("name") or ""
    if not object_name:
        raise BadRequest(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")
    if object_name != name:
        raise BadRequest(f"the name of the object ({object_name}) does not match the name on the URL ({name})")
