"""What another server says of itself: the resources of one version, and where its OpenAPI document is.

Kubernetes: kube-aggregator pkg/apiserver/handler_discovery.go, apiserver/pkg/endpoints
(ConvertGroupVersionIntoToDiscovery).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson

from localplane.apimachinery.groups import GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.endpoints.discovery import InstalledResource, InstalledSubresource


@dataclass(frozen=True, slots=True)
class RemoteDiscovery:
    """`openapi` is a URL relative to the server, with the document's hash; empty if it has none."""

    document: bytes
    resources: Sequence[InstalledResource]
    openapi: str = ""


def resources_in(document: bytes) -> Sequence[InstalledResource]:
    """From an APIResourceList. What can't be read is no resource: the server is there all the same."""
    listed = [each for each in _list(_parsed(document), "resources") if isinstance(each.get("name"), str)]
    below: dict[str, list[InstalledSubresource]] = {}
    for each in listed:
        parent, _, name = each["name"].partition("/")
        if name:
            below.setdefault(parent, []).append(_subresource(name, each))
    return [_resource(each, below.get(each["name"], ())) for each in listed if "/" not in each["name"]]


def openapi_url(index: bytes, path: str) -> str:
    """Where the index of OpenAPI documents says that a version's is; empty if it doesn't."""
    paths = _parsed(index).get("paths")
    found = paths.get(path.lstrip("/")) if isinstance(paths, dict) else None
    url = found.get("serverRelativeURL") if isinstance(found, dict) else ""
    return url if isinstance(url, str) else ""


def _resource(each: JSONObject, subresources: Sequence[InstalledSubresource]) -> InstalledResource:
    return InstalledResource(
        name=each["name"],
        singular=each.get("singularName") or "",
        namespaced=bool(each.get("namespaced")),
        kind=each.get("kind") or "",
        verbs=each.get("verbs") or (),
        schema=_unknown,
        answers=_answers(each),
        short_names=each.get("shortNames") or (),
        categories=each.get("categories") or (),
        subresources=subresources,
    )


def _subresource(name: str, each: JSONObject) -> InstalledSubresource:
    kind, verbs = each.get("kind") or "", each.get("verbs") or ()
    return InstalledSubresource(name=name, kind=kind, verbs=verbs, answers=_answers(each))


def _answers(each: JSONObject) -> GroupVersionKind | None:
    group, version = each.get("group") or "", each.get("version") or ""
    return GroupVersionKind(group, version, each.get("kind") or "") if group or version else None


def _unknown() -> NoReturn:
    raise LookupError("the schema is the other server's")


def _parsed(document: bytes) -> JSONObject:
    try:
        parsed = orjson.loads(document)
    except orjson.JSONDecodeError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _list(parsed: Mapping[str, Any], name: str) -> list[JSONObject]:
    found = parsed.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
