"""From a result to the bytes of an answer. What can be sent as it is stored is."""

from __future__ import annotations

from functools import partial

from localplane.apimachinery.errors import NotAcceptable
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.json_writer import to_json_answer
from localplane.apimachinery.serializers.media_types import JSON, PROTOBUF, YAML
from localplane.apimachinery.serializers.yaml_writer import to_yaml
from localplane.apiserver.long_work import HEAVY_BYTES, HEAVY_YAML_BYTES, Here, is_heavy
from localplane.apiserver.registry.rest import Result, ResultList
from localplane.apiserver.request import Request, Response
from localplane.apiserver.storage.interface import ObjectList
from localplane.apiserver.storage.objects import StoredObject

from . import table
from .body import hub_package
from .list_forms import list_form
from .lists import formed_list, list_cells, plain_list
from .messages import body_of, list_of_messages, status_body
from .negotiation import Target
from .representation import is_status, json_of, versioned
from .scope import Scope


async def respond_object(scope: Scope, request: Request, result: Result, target: Target, status: int = 200) -> Response:
    """What is heavy is written elsewhere, unless it can be sent as it is stored."""
    if not isinstance(result, StoredObject):
        heavy = request.heavy
    elif target.plain and scope.typed and result.data.startswith(scope.head):
        return Response(status, result.data + b"\n")  # see to_json_answer
    else:
        heavy = is_heavy(result.data, most_bytes=HEAVY_YAML_BYTES if target.media_type == YAML.name else HEAVY_BYTES)
    if heavy:
        return await request.work.elsewhere(partial(_object_response, scope, result, target, status))
    return _object_response(scope, result, target, status)


def _object_response(scope: Scope, result: Result, target: Target, status: int) -> Response:
    if isinstance(result, dict) and is_status(result):
        return encode(result | {"code": result.get("code") or status}, target, status)
    if target.plain:
        return Response(status, json_of(scope, result) + b"\n")  # see to_json_answer
    if target.protobuf:
        check_form(scope, target, is_list=False)
        return Response(status, body_of(scope, result, target), PROTOBUF.name)
    obj = versioned(scope, result)
    if target.transform == "Table":
        meta = {"resourceVersion": (obj.get("metadata") or {}).get("resourceVersion", "")}
        obj = table.table(scope, [table.row(scope, obj, target)], meta, target)
    elif target.transform:
        check_form(scope, target, is_list=False)
        obj = table.partial(obj, target.transform_version)
    return encode(obj, target, status)


async def respond_list(scope: Scope, listed: ObjectList | ResultList, target: Target, work: Here) -> Response:
    """A small list at once; a large one in slices, and what can be made while it is sent is."""
    meta = list_meta(listed)
    if not scope.typed and not target.transform:
        meta.setdefault("continue", "")  # so it is with lists of custom resources
    check_form(scope, target, is_list=True)
    if target.plain:
        return await plain_list(scope, listed, meta, work)
    if target.protobuf:
        return await list_of_messages(scope, listed, meta, target, work)
    if not listed.items:
        return encode(_empty_list(scope, target, meta), target)
    cells = None
    if target.transform == "Table" and scope.list_cells is not None:
        cells = await list_cells(scope, scope.list_cells, listed.items, work)
    return await formed_list(scope, listed, list_form(scope, target, meta, cells=cells), work)


def _empty_list(scope: Scope, target: Target, meta: JSONObject) -> JSONObject:
    if target.transform == "Table":
        return table.table(scope, [], meta, target)
    if target.transform:
        return {"kind": target.transform, "apiVersion": target.transform_version, "metadata": meta, "items": []}
    return {"kind": scope.list_kind, "apiVersion": scope.api_version, "metadata": meta, "items": []}


def check_form(scope: Scope, target: Target, *, is_list: bool) -> None:
    """Raises NotAcceptable if a list is asked for as one object, or the other way round. Whoever writes asks before."""
    if target.transform == "PartialObjectMetadata" and is_list:
        shown = f"{_go_type(scope)}List"
        raise NotAcceptable(f"you requested PartialObjectMetadata, but the requested object is a list ({shown})")
    if target.transform == "PartialObjectMetadataList" and not is_list:
        shown = _go_type(scope)
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


def success(scope: Scope, name: str, uid: str, target: Target, status: int = 200) -> Response:
    """The Status of a finished deletion. Its details call the resource `kind`: clients know it so."""
    details: JSONObject = {"name": name}
    if scope.resource.group:
        details["group"] = scope.resource.group
    details |= {"kind": scope.resource.resource, "uid": uid}
    body: JSONObject = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
    return encode(body | {"details": details}, target, status)


def _go_type(scope: Scope) -> str:
    """What Kubernetes calls the hub type in a message; all custom resources are of one type."""
    return f"*{hub_package(scope)}.{scope.kind}" if scope.typed else "*unstructured.Unstructured"
