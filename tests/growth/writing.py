"""What becomes of an object between its arrival and the store, step by step, without a server around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from localplane.apimachinery.errors import Invalid
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.managedfields import FieldManager
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objectmeta import validate_object_meta, validate_object_meta_update
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import merge_patch, strategic
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema.structs.decoder import DecodeError
from localplane.apimachinery.serializers.json import parse_json
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apimachinery.serializers.protobuf.reader import read_message
from localplane.apimachinery.serializers.protobuf.writer import message_writer
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.apimachinery.serializers.yaml_writer import to_yaml
from localplane.apiserver.endpoints.writes.owner_references import drop_duplicate_owners
from localplane.apiserver.request import Query, Request, RequestInfo, User
from tests.growth.objects import Place

_NOW = "2026-01-02T03:04:05Z"


def request_for(place: Place) -> Request:
    async def read_body(_: int) -> bytes:
        return b""

    info = RequestInfo(
        is_resource=True,
        path=place.url,
        verb="create",
        group=place.group.name,
        version=place.version.name,
        resource=place.resource.plural,
        namespace="default" if place.resource.namespaced else "",
    )
    request = Request("POST", place.url, Query({}), {}, read_body, user=User("me"))
    request.info = info
    return request


def decoded(place: Place, obj: JSONObject) -> JSONObject:
    """As a handler has it: typed, with its defaults, in the hub version."""
    version = place.version
    version.compiled.decode(obj, kind=place.resource.kind, source=to_json(obj))
    if version.default is not None:
        version.default(obj)
    version.compiled.complete(obj, final=True)
    return version.to_hub(obj) if version.to_hub is not None else obj


def create(place: Place, obj: JSONObject, _: JSONObject) -> None:
    request, strategy = request_for(place), place.resource.strategy
    try:
        hub = decoded(place, obj)
    except DecodeError:
        return
    drop_duplicate_owners(request, hub)
    strategy.prepare_for_create(request, hub)
    errors = [
        *strategy.validate(request, hub),
        *(place.version.compiled.validate(hub) if strategy.validates_schema else ()),
        *validate_object_meta(hub["metadata"], namespaced=place.resource.namespaced, validate_name=path_segment_name),
    ]
    to_json(Invalid.of(GroupKind("", "x"), "x", errors).status())
    strategy.warnings_on_create(request, hub)
    strategy.canonicalize(hub)
    if place.version.cells is not None:
        place.version.cells(hub)
    if place.version.row_conditions is not None:
        place.version.row_conditions(hub)
    to_json(hub)


def update(place: Place, new: JSONObject, old: JSONObject) -> None:
    request = request_for(place)
    try:
        hub, before = decoded(place, new), decoded(place, old)
    except DecodeError:
        return
    before["metadata"]["deletionTimestamp"] = hub["metadata"]["deletionTimestamp"] = _NOW
    for strategy in filter(None, (place.resource.strategy, place.resource.status_strategy)):
        changed = copied(hub)
        strategy.prepare_for_update(request, changed, copied(before))
        errors = [
            *validate_object_meta_update(changed["metadata"], before["metadata"]),
            *strategy.validate_update(request, changed, before),
            *(place.version.compiled.validate(changed, before) if strategy.validates_schema else ()),
        ]
        to_json(Invalid.of(GroupKind("", "x"), "x", errors).status())
        strategy.warnings_on_update(request, changed, before)


def manage(place: Place, new: JSONObject, old: JSONObject) -> None:
    version = place.group.group_version(place.version.name)
    fields = FieldManager(place.version.compiled, version, place.resource.kind)
    about = {"apiVersion": str(version), "kind": place.resource.kind}
    live = fields.update(None, {**old, **about}, manager="one", now=_NOW)
    changed = fields.update(
        live, {**new, **about, "metadata": {**live["metadata"], **new["metadata"]}}, manager="two", now=_NOW
    )
    fields.apply(changed, {**old, **about}, manager="three", force=True, now=_NOW)


def patch(place: Place, new: JSONObject, old: JSONObject) -> None:
    root = place.version.compiled.root
    difference = merge_patch.diff(old, new)
    merge_patch.apply(difference, old)
    strategic.merge(root, copied(old), copied(new))
    strategic.merge(root, copied(old), strategic.two_way_patch(root, copied(old), copied(new)))


def encode(place: Place, obj: JSONObject, _: JSONObject) -> None:
    root = place.version.compiled.root
    parse_json(to_json(obj), find_duplicates=True)
    parse_yaml(to_yaml(obj), find_duplicates=True)
    try:
        place.version.compiled.decode(obj, kind=place.resource.kind)
    except DecodeError:
        return
    read_message(root, message_writer(root)(obj))


STEPS: Mapping[str, Callable[[Place, JSONObject, JSONObject], None]] = {
    "created": create,
    "encoded": encode,
    "updated": update,
    "managed": manage,
    "patched": patch,
}
