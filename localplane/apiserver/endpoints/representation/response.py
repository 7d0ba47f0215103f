"""From a result to the bytes of an answer. What can be sent as it is stored is."""

from __future__ import annotations

from functools import partial

from localplane.apimachinery.errors import NotAcceptable
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.json_writer import to_json_answer
from localplane.apimachinery.serializers.media_types import JSON, PROTOBUF, YAML
from localplane.apimachinery.serializers.yaml_writer import to_yaml
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.long_work import HEAVY_BYTES, HEAVY_YAML_BYTES, Here, is_heavy
from localplane.apiserver.registry.rest import Result, ResultList
from localplane.apiserver.request import Request, Response
from localplane.apiserver.storage.interface import ObjectList
from localplane.apiserver.storage.objects import StoredObject

from . import table
from .list_forms import list_form
from .lists import formed_list, list_cells, plain_list
from .messages import body_of, list_of_messages, status_body
from .negotiation import Target
from .objects import is_status, json_of, versioned


async def respond_object(
    served: Served, request: Request, result: Result, target: Target, status: int = 200
) -> Response:
    """What is heavy is written elsewhere, unless it can be sent as it is stored."""
    if not isinstance(result, StoredObject):
        heavy = request.heavy
    elif target.plain and served.stored_head is not None and result.data.startswith(served.stored_head):
        return Response(status, result.data + b"\n")  # see to_json_answer
    else:
        heavy = is_heavy(result.data, most_bytes=HEAVY_YAML_BYTES if target.media_type == YAML.name else HEAVY_BYTES)
    if heavy:
        return await request.work.elsewhere(partial(_object_response, served, result, target, status))
    return _object_response(served, result, target, status)


def _object_response(served: Served, result: Result, target: Target, status: int) -> Response:
    if isinstance(result, dict) and is_status(result):
        return encode(result | {"code": result.get("code") or status}, target, status)
    if target.plain:
        return Response(status, json_of(served, result) + b"\n")  # see to_json_answer
    if target.protobuf:
        check_form(served, target, is_list=False)
        return Response(status, body_of(served, result, target), PROTOBUF.name)
    obj = versioned(served, result)
    if target.transform == "Table":
        revision = (obj.get("metadata") or {}).get("resourceVersion")
        meta: JSONObject = {"resourceVersion": revision} if revision else {}
        obj = table.table(served, [table.row(served, obj, target)], meta, target)
    elif target.transform:
        check_form(served, target, is_list=False)
        obj = table.partial(obj, target.transform_version)
    return encode(obj, target, status)


async def respond_list(served: Served, listed: ObjectList | ResultList, target: Target, work: Here) -> Response:
    """A small list at once; a large one in slices, and what can be made while it is sent is."""
    meta = list_meta(listed)
    if not target.transform:
        served.dialect.complete_list_meta(meta)
    check_form(served, target, is_list=True)
    if target.plain:
        return await plain_list(served, listed, meta, work)
    if target.protobuf:
        return await list_of_messages(served, listed, meta, target, work)
    if not listed.items:
        return encode(_empty_list(served, target, meta), target)
    cells = None
    if target.transform == "Table" and served.version.list_cells is not None:
        cells = await list_cells(served, served.version.list_cells, listed.items, work)
    return await formed_list(served, listed, list_form(served, target, meta, cells=cells), work)


def _empty_list(served: Served, target: Target, meta: JSONObject) -> JSONObject:
    if target.transform == "Table":
        return table.table(served, [], meta, target)
    if target.transform:
        return {"kind": target.transform, "apiVersion": target.transform_version, "metadata": meta, "items": None}
    return {"kind": served.list_kind, "apiVersion": served.api_version, "metadata": meta, "items": []}


def check_form(served: Served, target: Target, *, is_list: bool) -> None:
    """Raises NotAcceptable if a list is asked for as one object, or the other way round. Whoever writes asks before."""
    if target.transform == "PartialObjectMetadata" and is_list:
        shown = f"{served.dialect.go_type(served.group_version.group, served.kind)}List"
        raise NotAcceptable(f"you requested PartialObjectMetadata, but the requested object is a list ({shown})")
    if target.transform == "PartialObjectMetadataList" and not is_list:
        shown = served.dialect.go_type(served.group_version.group, served.kind)
        raise NotAcceptable(
            f"you requested PartialObjectMetadataList, but the requested object is not a list ({shown})"
        )


def list_meta(listed: ObjectList | ResultList) -> JSONObject:
    """What is not stored has no revision."""
    meta: JSONObject = {"resourceVersion": str(listed.revision)} if listed.revision else {}
    if listed.continue_token:
        meta["continue"] = listed.continue_token
    if listed.remaining is not None:
        meta["remainingItemCount"] = listed.remaining
    return meta


def encode(obj: JSONObject, target: Target, status: int = 200) -> Response:
    """As text, or a Status in any form."""
    if target.protobuf:
        return Response(status, status_body(obj), PROTOBUF.name)
    if target.media_type == YAML.name:
        return Response(status, to_yaml(obj), content_type=YAML.name)
    return Response(status, to_json_answer(obj, pretty=target.pretty), content_type=JSON.name)


def success(served: Served, name: str, uid: str, target: Target, status: int = 200) -> Response:
    """The Status of a finished deletion. Its details call the resource `kind`: clients know it so."""
    details: JSONObject = {"name": name}
    if served.resource.group:
        details["group"] = served.resource.group
    details |= {"kind": served.resource.resource, "uid": uid}
    body: JSONObject = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    return encode(body | {"details": details}, target, status)
