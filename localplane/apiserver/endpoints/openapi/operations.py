"""What can be done to a resource, written down as OpenAPI v3 operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.apimachinery.objects import JSONObject

from . import names as naming
from . import parameters
from .words import META, ref

DISCOVERY_TYPES: Final = ("application/json", "application/vnd.kubernetes.protobuf", "application/yaml")
_STREAMS: Final = frozenset({"application/json", "application/vnd.kubernetes.protobuf"})


@dataclass(frozen=True, slots=True)
class _Verb:
    """How a verb shows: `action` in x-kubernetes-action, `name` at the head of the operation's id."""

    method: str
    action: str
    name: str
    codes: tuple[int, ...]
    says: str


VERBS: Final = {
    "create": _Verb("post", "post", "create", (200, 201, 202), "Create {a}"),
    "delete": _Verb("delete", "delete", "delete", (200, 202), "Delete {a}"),
    "deletecollection": _Verb("delete", "deletecollection", "delete", (200,), "Delete each selected {kind}"),
    "get": _Verb("get", "get", "read", (200,), "Read {a}"),
    "list": _Verb("get", "list", "list", (200,), "List each selected {kind}, or watch them"),
    "patch": _Verb("patch", "patch", "patch", (200, 201), "Change parts of {a}"),
    "update": _Verb("put", "put", "replace", (200, 201), "Replace {a}"),
    "watch": _Verb("get", "watch", "watch", (200,), "Watch one {kind}; superseded by list with watch"),
    "watchlist": _Verb("get", "watchlist", "watch", (200,), "Watch each {kind}; superseded by list with watch"),
}
_MEANINGS: Final = {200: "OK", 201: "Created", 202: "Accepted"}


@dataclass(frozen=True, slots=True)
class Operand:
    """What an operation is done to. `what` is the middle of its id (NamespacedPodStatus), `kind` what it speaks in.

    `body` and `answer` are schemas.
    """

    group_version: GroupVersion
    kind: GroupVersionKind
    what: str
    phrase: str
    body: JSONObject
    answer: JSONObject
    media_types: Sequence[str]
    patch_types: Sequence[str]


def operation(verb: str, subject: Operand) -> JSONObject:
    """One operation; the parameters of its path are not repeated in it."""
    spec = VERBS[verb]
    what = f"Collection{subject.what}" if verb == "deletecollection" else subject.what
    described: JSONObject = {
        "tags": [naming.tag(subject.group_version)],
        "description": f"{spec.says.format(a=subject.phrase, kind=subject.kind.kind)}.",
        "operationId": naming.operation_id(spec.name, subject.group_version, what),
    }
    if verb not in ("watch", "watchlist") and (query := parameters.of_verb(verb)):
        described["parameters"] = query
    if (body := _body(verb, subject)) is not None:
        described["requestBody"] = body
    described["responses"] = _responses(spec.codes, subject.answer, _forms(verb, subject.media_types))
    described["x-kubernetes-action"] = spec.action
    described["x-kubernetes-group-version-kind"] = gvk(subject.kind)
    return described


def connect(method: str, subject: Operand) -> JSONObject:
    """A stream or a proxy: whatever is behind it answers."""
    return {
        "tags": [naming.tag(subject.group_version)],
        "description": f"Connect {method.upper()} requests to {subject.phrase}.",
        "operationId": naming.operation_id("connect", subject.group_version, f"{method.capitalize()}{subject.what}"),
        "responses": _responses((200,), {"type": "string"}, ("*/*",)),
        "x-kubernetes-action": "connect",
        "x-kubernetes-group-version-kind": gvk(subject.kind),
    }


def resources(group_version: GroupVersion) -> JSONObject:
    """The operation at the root of a version: its discovery."""
    return answered(
        naming.tag(group_version),
        "List the resources of this version.",
        naming.operation_id("get", group_version, "APIResources"),
        ref(f"{META}APIResourceList"),
        DISCOVERY_TYPES,
    )


def answered(tag: str, description: str, identifier: str, schema: JSONObject, forms: Sequence[str]) -> JSONObject:
    """An operation that reads what is no object."""
    return {
        "tags": [tag],
        "description": description,
        "operationId": identifier,
        "responses": _responses((200,), schema, forms),
    }


def gvk(kind: GroupVersionKind) -> JSONObject:
    return {"group": kind.group, "kind": kind.kind, "version": kind.version}


def _forms(verb: str, media_types: Sequence[str]) -> list[str]:
    if verb not in ("list", "watch", "watchlist"):
        return list(media_types)
    return [*media_types, *(f"{name};stream=watch" for name in media_types if name in _STREAMS)]


def _responses(codes: Sequence[int], schema: JSONObject, forms: Sequence[str]) -> JSONObject:
    content = {name: {"schema": schema} for name in forms}
    answers: JSONObject = {str(code): {"description": _MEANINGS[code], "content": content} for code in codes}
    return {**answers, "401": {"description": "Unauthorized"}}


def _body(verb: str, subject: Operand) -> JSONObject | None:
    match verb:
        case "create" | "update":
            return {"content": {"*/*": {"schema": subject.body}}, "required": True}
        case "patch":
            content = {name: {"schema": ref(f"{META}Patch")} for name in subject.patch_types}
            return {"content": content, "required": True}
        case "delete" | "deletecollection":
            return {"content": {"*/*": {"schema": ref(f"{META}DeleteOptions")}}}
        case _:
            return None
