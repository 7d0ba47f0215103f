"""A few words in which schemas are written down: each function gives an OpenAPI v3 schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.objects import JSONObject

META = "io.k8s.apimachinery.pkg.apis.meta.v1."
VERSION_INFO = "io.k8s.apimachinery.pkg.version.Info"
V3_PREFIX = "#/components/schemas/"


def ref(name: str) -> JSONObject:
    return {"$ref": V3_PREFIX + name}


def text(description: str, **more: Any) -> JSONObject:
    return {"description": description, "type": "string", **more}


def boolean(description: str) -> JSONObject:
    return {"description": description, "type": "boolean"}


def integer(description: str, format: str = "int64") -> JSONObject:  # noqa: A002 - OpenAPI's word
    return {"description": description, "type": "integer", "format": format}


def of(name: str, description: str) -> JSONObject:
    """A field of a named type. A reference can have no words of its own beside it, so it is wrapped."""
    return {"description": description, "allOf": [ref(name)]}


def listed(items: JSONObject, description: str, *, kind: str = "atomic", **more: Any) -> JSONObject:
    return {
        "description": description,
        "type": "array",
        "items": items,
        "x-kubernetes-list-type": kind,
        **{f"x-kubernetes-{key.replace('_', '-')}": value for key, value in more.items()},
    }


def mapped(values: JSONObject, description: str) -> JSONObject:
    return {"description": description, "type": "object", "additionalProperties": values}


def struct(description: str, properties: JSONObject, *, required: Sequence[str] = (), **more: Any) -> JSONObject:
    return {
        "description": description,
        "type": "object",
        **({"required": list(required)} if required else {}),
        "properties": properties,
        **{f"x-kubernetes-{key.replace('_', '-')}": value for key, value in more.items()},
    }


def type_fields(what: str) -> JSONObject:
    return {
        "apiVersion": text(f"The group and version in which this {what} is written."),
        "kind": text(f"The kind of this {what}."),
    }


def references(value: Any, prefix: str = V3_PREFIX) -> set[str]:
    """The names of all definitions that a schema refers to."""
    found: set[str] = set()
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            target = current.get("$ref")
            if isinstance(target, str):
                found.add(target.removeprefix(prefix))
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
    return found
