"""PATCH: a change to whatever is there, worked out again when somebody else was faster.

A patch is written for the version of its URL, so that is the form in which it is applied; the result goes through the
same checks as a PUT.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.errors import Invalid, UnsupportedMediaType
from localplane.apimachinery.fieldpath import invalid
from localplane.apimachinery.groups import GroupKind, GroupVersion
from localplane.apimachinery.schema import DecodeError
from localplane.apimachinery.serializers.decode_messages import strict_decoding_error, type_meta
from localplane.apimachinery.serializers.errors import NotAnObject
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apimachinery.serializers.media_types import check_route_input
from localplane.apiserver.endpoints import body
from localplane.apiserver.endpoints.admitting import Review
from localplane.apiserver.endpoints.negotiation import negotiated
from localplane.apiserver.endpoints.owner_references import drop_duplicate_owners
from localplane.apiserver.endpoints.patching import Change, change_of
from localplane.apiserver.endpoints.respond import check_form, respond_object
from localplane.apiserver.endpoints.scope import Scope
from localplane.apiserver.endpoints.write_options import patch_options
from localplane.apiserver.request import Answer, Request

from .update import check_place

JSONObject = dict[str, Any]


async def patch(scope: Scope, request: Request) -> Answer:
    content_type = _content_type(scope, request)
    target = negotiated(scope, request)
    check_form(scope, target, is_list=False)
    data = await body.read(request)
    options = patch_options(request.query, apply=False)
    change = change_of(content_type, data, field_validation=options.field_validation)
    review = Review(scope, request, options)

    async def updated(old: JSONObject) -> JSONObject:
        new = await review.admit_update(_patched(scope, request, change, old, options.field_validation), old)
        drop_duplicate_owners(request, new, after_admission=True)
        return new

    done = await scope.storage.update(
        request,
        request.info.name,
        updated,
        validate_create=review.validation_on_create(by_update=True),
        validate_update=review.validation_on_update(),
        force_allow_create=False,
        options=options,
    )
    return respond_object(scope, done.result, target, 201 if done.created else 200)


def _content_type(scope: Scope, request: Request) -> str:
    """Only what stands before the semicolon counts, letter for letter."""
    content_type = request.headers.get("content-type", "")
    if scope.typed:
        check_route_input(content_type, scope.patch_types)
    name = content_type.partition(";")[0] if content_type.find(";") > 0 else content_type
    if name not in scope.patch_types:
        raise UnsupportedMediaType.of(scope.patch_types)
    return name


def _patched(scope: Scope, request: Request, change: Change, old: JSONObject, field_validation: str) -> JSONObject:
    """The live object with the patch applied, in the hub version. Nothing of it is shared with `old`."""
    version = scope.group_version.version
    current = scope.converter.seen_from(old, version) | {"kind": scope.kind, "apiVersion": scope.api_version}
    changed = change.apply(current)
    shown = _shown(changed)
    _check_type(scope, changed, shown)
    try:
        unknown = body.take_known(scope, changed)
    except DecodeError as error:
        raise _not_fitting(shown, str(error)) from error
    problems = [*change.problems, *unknown]
    if problems and field_validation == "Strict":
        raise _not_fitting(shown, strict_decoding_error(problems))
    if field_validation != "Ignore":
        request.warnings.extend(problems)
    body.complete(scope, changed)
    check_place(scope, request, changed)
    return scope.converter.to_hub(changed, version)


def _shown(changed: Any) -> str:
    """The result as Go writes it into a message: by its keys, and safe for HTML."""
    ordered = dict(sorted(changed.items())) if isinstance(changed, dict) else changed
    return to_json(ordered, html_safe=True).decode()


def _check_type(scope: Scope, changed: Any, shown: str) -> None:
    """A patch may change anything but what the object is."""
    try:
        told = type_meta(changed)
        version = GroupVersion.parse(told.api_version)
    except (NotAnObject, ValueError) as error:
        raise _not_fitting(shown, str(error)) from error
    for name, given in (("Kind", told.kind), ("apiVersion", told.api_version)):
        if not given:
            raise _not_fitting(shown, f"Object '{name}' is missing in '{shown}'")
    if (told.kind, version) != (scope.kind, scope.group_version):
        raise _not_fitting(shown, body.why_not(scope, told.kind, version))


def _not_fitting(shown: str, why: str) -> Invalid:
    """The patch is what is wrong, not the object: it fitted before."""
    return Invalid.of(GroupKind("", ""), "", [invalid("patch", shown, why)])
