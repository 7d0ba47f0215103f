"""What a method and a path mean: verb, group, version, resource, name. Pure, and remembered.

Kubernetes: apiserver/pkg/endpoints/request/requestinfo.go.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.selectors import fields, labels
from localplane.apiserver.request import Query, RequestInfo

_VERBS = {"POST": "create", "GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_VERBS_IN_PATHS = ("proxy", "watch")
_NAMESPACE_SUBRESOURCES = ("status", "finalize")
_VERBS_WITH_SELECTORS = ("list", "watch", "deletecollection")

_REMEMBERED = 4096
# Longer ones are worked out anew: what strangers send must not be able to fill the memory.
_LONGEST_REMEMBERED = 1024


class UnresolvablePath(ValueError):
    """A path that names a verb and nothing to do it to."""


class _Selection(NamedTuple):
    """What the query says about a list."""

    watch: bool = False
    field_selector: str = ""
    label_selector: str = ""
    options_readable: bool = True


_EVERYTHING = _Selection()


def resolve(method: str, path: str, query: Query) -> RequestInfo:
    """The answer is shared between requests: nobody may change it. Raises UnresolvablePath."""
    selection = _EVERYTHING
    if "watch" in query or "fieldSelector" in query or "labelSelector" in query:
        selection = _selection(query)
    if len(path) + len(selection.field_selector) + len(selection.label_selector) > _LONGEST_REMEMBERED:
        return _resolve(method, path, selection)
    return _remembered(method, path, selection)


def _selection(query: Query) -> _Selection:
    watch = "watch" in query and query.get("watch").lower() not in ("false", "0")
    field_selector, label_selector = query.get("fieldSelector"), query.get("labelSelector")
    options_readable = not field_selector or all(map(_is_number, (query.get("limit"), query.get("timeoutSeconds"))))
    return _Selection(watch, field_selector, label_selector, options_readable)


def _is_number(text: str) -> bool:
    digits = text[1:] if text[:1] in ("-", "+") else text
    return not text or (digits.isascii() and digits.isdigit())


def _selected_name(selection: _Selection) -> str:
    """The name that a field selector asks for, so that a list of one object is authorized like that object.

    None if any of the list's options can't be read: whoever serves the list refuses it then.
    """
    if not selection.field_selector or not selection.options_readable:
        return ""
    try:
        name = fields.parse(selection.field_selector).requires_exact_match("metadata.name")
        labels.parse(selection.label_selector)
    except (fields.InvalidSelector, labels.InvalidSelector):
        return ""
    return name if name and not path_segment_name(name) else ""


def _resolve(method: str, path: str, selection: _Selection) -> RequestInfo:
    parts = path.strip("/").split("/")
    prefix = parts[0]
    if len(parts) < 3 or prefix not in ("api", "apis"):
        return RequestInfo(is_resource=False, path=path, verb=method.lower())
    if prefix == "apis" and len(parts) < 4:
        return RequestInfo(is_resource=False, path=path, verb=method.lower(), api_prefix=prefix)
    group, version, parts = ("", parts[1], parts[2:]) if prefix == "api" else (parts[1], parts[2], parts[3:])
    info = RequestInfo(
        is_resource=True, path=path, verb=_VERBS.get(method, ""), api_prefix=prefix, group=group, version=version
    )
    verb_in_path = parts[0] in _VERBS_IN_PATHS
    if verb_in_path:
        if len(parts) < 2:
            raise UnresolvablePath(f"unable to determine kind and namespace from url, {path}")
        info.verb, parts = parts[0], parts[1:]
    _fill_in_resource(info, parts)
    _refine_verb(info, selection)
    # Paths with a verb in them have never selected reliably, so nobody is authorized by what they select.
    if info.verb in _VERBS_WITH_SELECTORS and not verb_in_path:
        info.field_selector, info.label_selector = selection.field_selector, selection.label_selector
    return info


def _fill_in_resource(info: RequestInfo, parts: list[str]) -> None:
    """A namespace is an object itself, and a part of the path to others."""
    if parts[0] == "namespaces" and len(parts) > 1:
        info.namespace = parts[1]
        if len(parts) > 2 and parts[2] not in _NAMESPACE_SUBRESOURCES:
            parts = parts[2:]
    info.parts = tuple(parts)
    info.resource = parts[0]
    if len(parts) > 1:
        info.name = parts[1]
    if len(parts) > 2 and info.verb != "proxy":
        info.subresource = parts[2]


def _refine_verb(info: RequestInfo, selection: _Selection) -> None:
    """Without a name, get and delete mean all of them."""
    if info.name:
        return
    if info.verb == "get":
        info.verb = "watch" if selection.watch else "list"
        info.name = _selected_name(selection)
    elif info.verb == "delete":
        info.verb = "deletecollection"


_remembered = lru_cache(maxsize=_REMEMBERED)(_resolve)
