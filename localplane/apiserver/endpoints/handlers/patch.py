"""PATCH: a change to whatever is there, worked out again when somebody else was faster.

A patch is written for the version of its URL, so that is the form in which it is applied; the result goes through the
same checks as a PUT. Applying is a patch too, but one that knows what its manager wanted before; it may also create.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from localplane.apimachinery.errors import Invalid, NotFound, RequestEntityTooLarge, UnsupportedMediaType
from localplane.apimachinery.fieldpath import invalid
from localplane.apimachinery.groups import GroupKind, GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import DecodeError
from localplane.apimachinery.serializers.decode_messages import strict_decoding_error, type_meta
from localplane.apimachinery.serializers.errors import NotAnObject
from localplane.apimachinery.serializers.strict_order import complaints_of_json, unknown_fields
from localplane.apiserver.dialects import APPLY_PATCH
from localplane.apiserver.dialects.scheme import why_not
from localplane.apiserver.endpoints.options.parameters import flag
from localplane.apiserver.endpoints.options.write_options import patch_options
from localplane.apiserver.endpoints.representation.negotiation import negotiated
from localplane.apiserver.endpoints.representation.response import check_form, respond_object
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.endpoints.writes import body
from localplane.apiserver.endpoints.writes.admission import RequestAdmission
from localplane.apiserver.endpoints.writes.apply import Configuration, applied
from localplane.apiserver.endpoints.writes.field_managers import manager_of, track
from localplane.apiserver.endpoints.writes.fitting import fit_integers
from localplane.apiserver.endpoints.writes.owner_references import drop_duplicate_owners
from localplane.apiserver.endpoints.writes.patches import ObjectPatch, patch_of
from localplane.apiserver.registry.metadata import metadata_of
from localplane.apiserver.registry.rest import Updated, Updater, WriteOptions
from localplane.apiserver.request import Answer, Request

from .update import check_place, write_reviewed

Patched = Callable[[JSONObject], JSONObject]
"""From the live hub object, {} if there is none, to what it should become, with its managers."""


async def patch(served: Served, storage: Updater, request: Request) -> Answer:
    content_type = _content_type(served, request)
    target = negotiated(served, request)
    check_form(served, target, is_list=False)
    data = await body.read(request)
    is_apply = content_type == APPLY_PATCH
    options = patch_options(request.query, apply=is_apply)
    if is_apply:
        application = await request.do(partial(_application, served, request, data, options))
        done = await _write(served, storage, request, options, application, may_create=True)
    else:
        change = await request.do(
            partial(patch_of, served, content_type, data, field_validation=options.field_validation)
        )
        done = await _write_change(served, storage, request, options, change)
    return await respond_object(served, request, done.result, target, 201 if done.created else 200)


async def _write(
    served: Served, storage: Updater, request: Request, options: WriteOptions, patched: Patched, *, may_create: bool
) -> Updated:
    review = RequestAdmission(served, request, options)

    async def updated(old: JSONObject) -> JSONObject:
        new = await request.do(partial(patched, old))
        check_place(served, request, new)
        new = await review.admit_update(new, old)
        drop_duplicate_owners(request, new, after_admission=True)
        return new

    return await write_reviewed(storage, request, review, updated, options=options, may_create=may_create)


def _application(served: Served, request: Request, data: bytes, options: WriteOptions) -> Patched:
    configuration, force = Configuration(data), flag(request.query, "force")
    return lambda old: applied(
        served,
        request,
        configuration,
        old,
        manager=options.field_manager,
        force=force,
        field_validation=options.field_validation,
    )


async def _write_change(
    served: Served, storage: Updater, request: Request, options: WriteOptions, change: ObjectPatch
) -> Updated:
    manager = manager_of(request, options)

    def tracked(old: JSONObject) -> JSONObject:
        new = _changed(served, request, change, old, options.field_validation)
        track(served, new, old, manager=manager)
        return new

    def untracked(old: JSONObject) -> JSONObject:
        new = _changed(served, request, change, old, options.field_validation)
        metadata_of(new).pop("managedFields", None)
        return new

    warned = len(request.warnings)
    try:
        return await _write(served, storage, request, options, tracked, may_create=False)
    except RequestEntityTooLarge:
        # It may be the managers of its fields that make it too large, and an object can do without them.
        del request.warnings[warned:]
        return await _write(served, storage, request, options, untracked, may_create=False)


def _content_type(served: Served, request: Request) -> str:
    """Only what stands before the semicolon counts, letter for letter."""
    content_type = request.headers.get("content-type", "")
    served.dialect.check_patch_type(content_type)
    name = content_type.partition(";")[0] if content_type.find(";") > 0 else content_type
    if name not in served.dialect.patch_types:
        raise UnsupportedMediaType.of(served.dialect.patch_types)
    return name


def _changed(
    served: Served, request: Request, change: ObjectPatch, old: JSONObject, field_validation: str
) -> JSONObject:
    """The live object with the patch applied, in the hub version. Nothing of it is shared with `old`."""
    if not old:
        raise NotFound.of(served.resource, request.info.name)
    version = served.group_version.version
    current = served.converter.seen_from(old, version) | {"kind": served.kind, "apiVersion": served.api_version}
    changed = change.apply(current)
    if change.says_type:
        _check_type(served, change, current, changed)
    try:
        unknown = _known(served, change, current, changed)
    except DecodeError as error:
        raise _not_fitting(change, current, change.misfit(current, error)) from error
    if field_validation != "Ignore" and (unknown or change.problems):
        problems = [*change.problems, *_complaints(served, change, current, unknown)]
        if field_validation == "Strict":
            raise _not_fitting(change, current, strict_decoding_error(problems))
        request.warnings.extend(problems)
    body.complete(served, changed)
    return served.converter.to_hub(changed, version)


def _known(served: Served, change: ObjectPatch, current: JSONObject, changed: JSONObject) -> Sequence[str]:
    """Drop from the object what its kind does not know, and tell its paths. Raises DecodeError.

    What a strategic patch makes is a map that is converted, and no document that is decoded."""
    try:
        return body.take_known(served, changed)
    except DecodeError:
        if change.says_type or not served.dialect.is_routed:
            raise
    again = change.apply(current)
    fit_integers(served.schema().root, again)
    changed.clear()
    changed.update(again)
    return body.take_known(served, changed)


def _complaints(served: Served, change: ObjectPatch, current: JSONObject, unknown: Sequence[str]) -> Sequence[str]:
    """Of fields that the changed object has and its kind has not: a document is decoded in its order, and the map that
    a strategic patch makes is sorted."""
    if not change.says_type:
        return sorted(unknown_fields(unknown))
    if not served.dialect.reads_once:
        return unknown_fields(unknown)
    return complaints_of_json(change.shown(current).encode(), unknown)


def _check_type(served: Served, change: ObjectPatch, current: JSONObject, changed: Any) -> None:
    """A patch may change anything but what the object is."""
    try:
        body_type = type_meta(changed)
        version = GroupVersion.parse(body_type.api_version)
    except (NotAnObject, ValueError) as error:
        raise _not_fitting(change, current, str(error)) from error
    for name, value in (("Kind", body_type.kind), ("apiVersion", body_type.api_version)):
        if not value:
            raise _not_fitting(change, current, f"Object '{name}' is missing in '{change.shown(current)}'")
    if (body_type.kind, version) != (served.kind, served.group_version):
        raise _not_fitting(change, current, why_not(served, body_type.kind, version))


def _not_fitting(change: ObjectPatch, current: JSONObject, why: str) -> Invalid:
    """The patch is what is wrong, not the object: it fitted before."""
    return Invalid.of(GroupKind("", ""), "", [invalid("patch", change.shown(current), why)])
