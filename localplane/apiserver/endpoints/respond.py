"""From a result to the bytes of an answer. What can be sent as it is stored is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from localplane.apimachinery.errors import NotAcceptable
from localplane.apimachinery.serializers.json_writer import to_json_answer
from localplane.apimachinery.serializers.media_types import JSON, PROTOBUF, YAML
from localplane.apimachinery.serializers.yaml_writer import to_yaml
from localplane.apiserver.registry.rest import Result, ResultList
from localplane.apiserver.request import Response
from localplane.apiserver.storage.interface import ObjectList

from . import table
from .body import hub_package
from .messages import body_of, list_body, status_body
from .negotiation import Target
from .representation import is_status, json_of, kept_with, versioned
from .scope import Scope

JSONObject = dict[str, Any]


def respond_object(scope: Scope, result: Result, target: Target, status: int = 200) -> Response:
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


def respond_list(scope: Scope, listed: ObjectList | ResultList, target: Target) -> Response:
    meta = list_meta(listed)
    if not scope.typed and not target.transform:
        meta.setdefault("continue", "")  # so it is with lists of custom resources
    if target.plain:
        opening = orjson.dumps({"kind": scope.list_kind, "apiVersion": scope.api_version, "metadata": meta})
        joined = kept_with(listed, scope.group_version, scope.converter, lambda: _joined(scope, listed))
        return Response(200, (opening[:-1] + b',"items":[', *joined, b"]}\n"))
    if target.protobuf:
        check_form(scope, target, is_list=True)
        return Response(200, list_body(scope, listed, meta, target), PROTOBUF.name)
    items = [versioned(scope, item) for item in listed.items]
    match target.transform:
        case "Table":
            return encode(table.table(scope, table.rows(scope, items, target), meta, target), target)
        case "PartialObjectMetadataList":
            kind, version = str(target.transform), target.transform_version
            items = [table.partial(item, version) for item in items]
        case _:
            check_form(scope, target, is_list=True)
            kind, version = scope.list_kind, scope.api_version
            items = [_untyped(item) for item in items] if scope.typed else items
    return encode({"kind": kind, "apiVersion": version, "metadata": meta, "items": items}, target)


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


def _joined(scope: Scope, listed: ObjectList | ResultList) -> Sequence[bytes]:
    """The items of a list from their finished bytes, without parsing any of them: megabytes, so they are copied once.

    Typed ones leave out their head.
    """
    if not listed.items:
        return ()
    if not scope.typed:
        return (b",".join([json_of(scope, item) for item in listed.items]),)
    head, skip = scope.head, len(scope.head)
    if isinstance(listed, ObjectList):
        return b"{", b",{".join(
            [(data if (data := item.data).startswith(head) else json_of(scope, item))[skip:] for item in listed.items]
        )
    return b"{", b",{".join([json_of(scope, item)[skip:] for item in listed.items])


def _untyped(obj: JSONObject) -> JSONObject:
    obj.pop("kind", None)
    obj.pop("apiVersion", None)
    return obj


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
