"""The OpenAPI v3 document of a group's version, and the kind that a resource answers with.

From `deployments.apps.spec.replicas` to a resource and the fields below it. Kubernetes: kubectl/pkg/explain.

What is typed is read as a JSONPath, which is why `pods['spec']` is the same as `pods.spec`.
"""

from __future__ import annotations

import urllib.parse
from typing import Any, NamedTuple

from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery import jsonpath
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.jsonpath import parser
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import AmbiguousMatch, NoMatch
from localplane.client.rest.mapper import RESTMapper
from localplane.client.rest.names import GroupVersionResource

_METHODS = ("get", "post", "put", "patch", "delete")


async def swagger(session: Session) -> JSONObject:
    """The OpenAPI v2 document: all groups in one."""
    answer = await session.client.request("GET", "/openapi/v2", headers=[("Accept", "application/json")])
    document: JSONObject = answer.json()
    return document


async def paths_of(session: Session) -> dict[str, Any]:
    """Which documents there are, and where."""
    answer = await session.client.request("GET", "/openapi/v3", headers=[("Accept", "application/json")])
    paths: dict[str, Any] = answer.json().get("paths") or {}
    return paths


async def document_at(session: Session, paths: dict[str, Any], resource: GroupVersionResource) -> JSONObject:
    path = f"apis/{resource.group}/{resource.version}" if resource.group else f"api/{resource.version}"
    if path not in paths:
        raise KctlError(f"couldn't find resource for {go_quote(str(resource))}")
    where = urllib.parse.urlsplit(paths[path].get("serverRelativeURL") or f"/openapi/v3/{path}")
    headers = [("Accept", "application/json")]
    found = await session.client.request("GET", where.path, query=urllib.parse.parse_qsl(where.query), headers=headers)
    document: JSONObject = found.json()
    return document


def kind_of(document: JSONObject, resource: GroupVersionResource) -> dict[str, str]:
    """The group, version and kind that the operations on the resource name. Raises KctlError if none does."""
    root = f"/apis/{resource.group}/{resource.version}" if resource.group else f"/api/{resource.version}"
    plain = f"{root}/{resource.resource}"
    namespaced = f"{root}/namespaces/{{namespace}}/{resource.resource}"
    paths = document.get("paths") or {}
    for path in (plain, f"{plain}/{{name}}", namespaced, f"{namespaced}/{{name}}"):
        for method in _METHODS:
            if kind := ((paths.get(path) or {}).get(method) or {}).get("x-kubernetes-group-version-kind"):
                return dict(kind)
    raise KctlError(f"GVR ({resource}) not found in OpenAPI schema")


def schema_of(document: JSONObject, kind: dict[str, str]) -> JSONObject:
    schemas = (document.get("components") or {}).get("schemas") or {}
    for name in sorted(schemas):
        if kind in (schemas[name].get("x-kubernetes-group-version-kind") or ()):
            found: JSONObject = schemas[name]
            return found
    shown = " ".join(f"{key}:{kind[key]}" for key in sorted(kind))
    raise KctlError(f"GVK map[{shown}] not found in OpenAPI schema")


def field_names(document: JSONObject, schema: JSONObject, path: tuple[str, ...]) -> list[str]:
    """The fields below a path; none if there is no such path."""
    found = _with_fields(document, schema)
    for name in path:
        found = _with_fields(document, (found.get("properties") or {}).get(name) or {})
    return sorted(found.get("properties") or {})


def no_such_field(document: JSONObject, schema: JSONObject, path: tuple[str, ...], name: str) -> KctlError:
    """Of a path whose last part is told, whichever is wrong; the first that is wrong was mistyped."""
    for length, part in enumerate(path):
        known = field_names(document, schema, path[:length])
        if part not in known:
            return KctlError(f"field {go_quote(name)} does not exist", mistyped=(part, known))
    return KctlError(f"field {go_quote(name)} does not exist")


def _with_fields(document: JSONObject, schema: JSONObject) -> JSONObject:
    """What a schema, its items or its values have fields in."""
    found = resolved(document, schema)
    while not found.get("properties"):
        parts = [found.get("items"), found.get("additionalProperties"), *(found.get("allOf") or ())]
        inner = next((part for part in parts if isinstance(part, dict)), None)
        if inner is None:
            break
        found = resolved(document, inner)
    return found


def resolved(document: JSONObject, schema: JSONObject) -> JSONObject:
    """What a reference leads to; anything else as it is."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    found: Any = document
    for step in reference[2:].split("/"):
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else schema


_NOT_A_FIELD = "invalid jsonpath syntax, first node must be field node"


class Asked(NamedTuple):
    resource: GroupVersionResource
    path: tuple[str, ...]


async def asked(session: Session, argument: str, *, whole_name: bool) -> Asked:
    """`whole_name` takes the group as part of the type's name where the server has such a type. Raises KctlError."""
    steps = _steps(argument)
    name = _field(steps[0], _NOT_A_FIELD)
    if not name:
        raise KctlError("a resource must be present, got: /, Resource=")
    try:
        await session.discovery.mapping_for(name)  # a name that is new to us may not be to the server
        mapper = await session.discovery.mapper()
        if whole_name:
            return _with_group(mapper, GroupVersionResource("", "", name), argument, steps)
        others = "invalid jsonpath syntax, all nodes must be field nodes"
        resource = mapper.resource_for(GroupVersionResource("", "", name))
        return Asked(resource, tuple(_field(step, others) for step in steps[1:]))
    except (NoMatch, AmbiguousMatch):
        raise KctlError(f"the server doesn't have a resource type {go_quote(name)}", verbatim=True) from None


def _with_group(mapper: RESTMapper, wanted: GroupVersionResource, argument: str, steps: list[parser.Step]) -> Asked:
    """`deployments.apps.spec` names the group as well, `deployments.spec` does not."""
    found = mapper.resources_for(wanted)
    for one in found:
        name = str(one.group_resource)
        if argument.startswith(name):
            rest = _steps(argument[len(name) :]) if argument != name else []
            return Asked(one, tuple(_field(step, _NOT_A_FIELD) for step in rest[1:]))
    return Asked(found[0], tuple(_field(step, _NOT_A_FIELD) for step in steps[1:]))


def _steps(text: str) -> list[parser.Step]:
    try:
        parts = jsonpath.parse("{." + text.removesuffix(".") + "}").parts
    except jsonpath.JSONPathSyntaxError as error:
        raise KctlError(str(error)) from error
    if len(parts) != 1:
        raise KctlError("must pass in 1 jsonpath string")
    return list(parts[0].steps) if isinstance(parts[0], parser.Action) else []


def _field(step: parser.Step, otherwise: str) -> str:
    if not isinstance(step, parser.Field):
        raise KctlError(otherwise)
    return step.name
