"""The parameters that requests may have, by name, and which of them each verb reads. The words are ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from localplane.apimachinery.objects import JSONObject

_QUERY: Final = {
    "allowWatchBookmarks": ("boolean", "Let a watch send BOOKMARK events, which tell how far it is."),
    "continue": ("string", "The next part of a list: what the last part gave as metadata.continue."),
    "dryRun": ("string", "All: go through every step, but store nothing."),
    "fieldManager": ("string", "The name under which the fields that this request sets are recorded."),
    "fieldSelector": ("string", "Only objects whose fields match, such as metadata.name=web."),
    "fieldValidation": (
        "string",
        "What to do about unknown and repeated fields: Ignore, Warn (the default) or Strict, which refuses them.",
    ),
    "force": ("boolean", "Take over fields that other managers have applied. For apply patches only."),
    "gracePeriodSeconds": ("integer", "How long the object may take to end. 0 is at once."),
    "ignoreStoreReadErrorWithClusterBreakingPotential": (
        "boolean",
        "Remove an object that can't be read from the store, and skip what protects it.",
    ),
    "labelSelector": ("string", "Only objects whose labels match, such as app=web,tier!=test."),
    "limit": ("integer", "At most so many objects; metadata.continue then leads to the rest."),
    "orphanDependents": ("boolean", "Superseded by propagationPolicy: whether dependents stay."),
    "pretty": ("string", "true: write the answer for people to read."),
    "propagationPolicy": ("string", "What happens to dependents: Orphan, Background or Foreground."),
    "resourceVersion": ("string", "How new the answer must be, or where a watch begins."),
    "resourceVersionMatch": ("string", "How resourceVersion is meant: NotOlderThan or Exact."),
    "sendInitialEvents": ("boolean", "Begin a watch with all present objects, and a bookmark after them."),
    "timeoutSeconds": ("integer", "End a list or watch after so many seconds, whatever it is doing."),
    "watch": ("boolean", "Stay, and send each change as an event, instead of a list."),
}

_LIST = (
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
)
_WATCH = ("allowWatchBookmarks", "watch")
_DELETE = (
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "propagationPolicy",
)
_WRITE = ("dryRun", "fieldManager", "fieldValidation")

_OF_VERB: Final = {
    "create": _WRITE,
    "delete": _DELETE,
    "deletecollection": tuple(sorted(_LIST + _DELETE)),
    "get": (),
    "list": tuple(sorted(_LIST + _WATCH)),
    "patch": (*_WRITE, "force"),
    "update": _WRITE,
    "watch": tuple(sorted(_LIST + _WATCH)),
    "connect": (),
}

_PATH: Final = {
    "name": "The name of the {kind}.",
    "namespace": "The namespace in which the {kind} lives.",
    "path": "The path behind the {kind} that is asked for.",
}


def query(name: str) -> JSONObject:
    kind, description = _QUERY[name]
    return {"name": name, "in": "query", "description": description, "schema": {"type": kind, "uniqueItems": True}}


def of_verb(verb: str) -> list[JSONObject]:
    """The query parameters of a verb, without `pretty`, which all have."""
    return [query(name) for name in _OF_VERB[verb]]


def own(types: Mapping[str, str]) -> list[JSONObject]:
    """The query parameters that only one subresource has."""
    return [
        {"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": True}}
        for name, kind in types.items()
        if name not in _QUERY
    ]


def of_path(path: str, kind: str) -> list[JSONObject]:
    """The parameters that all methods of a path share, beside `pretty`."""
    return [
        {
            "name": name,
            "in": "path",
            "description": description.format(kind=kind),
            "required": True,
            "schema": {"type": "string", "uniqueItems": True},
        }
        for name, description in _PATH.items()
        if f"{{{name}}}" in path
    ]
