"""The fields of the built-in types, read from data/schemas when someone first asks for them.

There is one file for each Go package (`core_v1.json` for core/v1), one line for each type:

    "Probe":{"f":{"httpGet":{"t":"core/v1.HTTPGetAction","p":1,"n":2,"v":[1]},...},"r":["..."],"i":[[1]]}

Of a type: f fields, r required, m map type, g its kinds as group, version, kind; i paths of protobuf messages that are
inline in JSON; u unions; tm: it has kind and apiVersion; npb: no protobuf message; no: not in OpenAPI documents. Types
without fields are told below, in code.
Of a field, in the order in which Go writes them: t its type (`[]` a list of, `{}` a map of), p a pointer, e written
even when empty (a: as zero, n: as null), n protobuf number, v the inline messages on the way, pb the message field
where it is not what t says; l, k list type and keys, m map type, ps, pk patch strategy and key; x values, d default,
z the zero value as OpenAPI's default; go its type in Go where that has a name, in the embedded struct it comes from;
ix, id, igo values, default and Go type of the items; dep deprecated. A field that has nothing but a type is the type.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

import orjson

from localplane.apimachinery.schema import Limits, Node, Property, Schema
from localplane.apimachinery.schema.codecs import DURATION, INT_OR_STRING, MICRO_TIME, QUANTITY, RAW_JSON, TIME
from localplane.apimachinery.schema.meta import object_meta, type_meta
from localplane.apimachinery.schema.nodes import NOTHING

from .json_schemas import schema_or_array, schema_or_bool, schema_or_texts

_DATA: Final = files("localplane.catalog") / "data" / "schemas"

_SCALARS: Final[dict[str, dict[str, Any]]] = {
    "string": {"type": "string"},
    "bytes": {"type": "string", "format": "byte"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "bool": {"type": "boolean"},
    "double": {"type": "number", "format": "double"},
    "any": {},
}

_WIRE_TYPES: Final = {"int32": 0, "int64": 0, "bool": 0, "double": 1}
_EMIT: Final[dict[str, Literal["", "always", "null"]]] = {"": "", "a": "always", "n": "null"}
_ZEROS: Final[dict[str, Any]] = {"string": "", "int32": 0, "int64": 0, "bool": False, "double": 0}

_HOMES: Final = {
    "resource": "io.k8s.apimachinery.pkg.api.resource",
    "intstr": "io.k8s.apimachinery.pkg.util.intstr",
    "runtime": "io.k8s.apimachinery.pkg.runtime",
    "version": "io.k8s.apimachinery.pkg.version",
    "meta": "io.k8s.apimachinery.pkg.apis.meta",
    "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
    "apiregistration": "io.k8s.kube-aggregator.pkg.apis.apiregistration",
}

_RAW: Final[dict[str, Any]] = {"codec": RAW_JSON, "type": "object", "preserve_unknown_fields": True}
_ANYTHING: Final[dict[str, Any]] = {"preserve_unknown_fields": True}
_TEXTS: Final[dict[str, Any]] = {"type": "array", "items": Node(type="string")}


def _json_schema() -> Node:
    return node("apiextensions/v1.JSONSchemaProps")


_LEAVES: Final[dict[str, dict[str, Any]]] = {
    "meta/v1.Time": {"codec": TIME, "type": "string", "format": "date-time"},
    "meta/v1.MicroTime": {"codec": MICRO_TIME, "type": "string", "format": "date-time"},
    "meta/v1.Duration": {"codec": DURATION, "type": "string"},
    "resource.Quantity": {"codec": QUANTITY, "one_of": (Node(type="string"), Node(type="number"))},
    "intstr.IntOrString": {"codec": INT_OR_STRING, "format": "int-or-string", "int_or_string": True},
    "runtime.RawExtension": {**_RAW, "go_type": "runtime.RawExtension"},
    "meta/v1.FieldsV1": {**_RAW, "go_type": "v1.FieldsV1"},
    "apiextensions/v1.JSON": {**_ANYTHING, "go_type": "v1.JSON"},
    "apiextensions/v1.JSONSchemaPropsOrArray": {**_ANYTHING, "codec": schema_or_array(_json_schema)},
    "apiextensions/v1.JSONSchemaPropsOrBool": {**_ANYTHING, "codec": schema_or_bool(_json_schema)},
    "apiextensions/v1.JSONSchemaPropsOrStringArray": {**_ANYTHING, "codec": schema_or_texts(_json_schema)},
    "meta/v1.Patch": {"type": "object", "preserve_unknown_fields": True},
    "meta/v1.Verbs": _TEXTS,
}
"""Types that stand in JSON in a form of their own, and have no fields there."""

_NAMELESS: Final = frozenset({"meta/v1.Duration", "meta/v1.Verbs"})
"""Those that OpenAPI documents write out where they stand."""


@cache
def schema(definition: str) -> Schema:
    """The schema of a type, named by its Go package and its name: `core/v1.Pod`."""
    return Schema(node(definition))


@cache
def node(definition: str) -> Node:
    """The one node of a type. Its file is read, and the node filled, when it is first used."""
    if definition == "meta/v1.ObjectMeta":
        return object_meta()
    package, _, name = definition.rpartition(".")
    leaf = _LEAVES.get(definition)
    if leaf is not None:
        return Node(name=openapi_name(definition) if definition not in _NAMELESS else "", **leaf)
    go_type = f"{package.rpartition('/')[2]}.{name}"
    return Node(name=openapi_name(definition), go_type=go_type, loader=lambda each: _load(each, _facts(definition)))


def openapi_name(definition: str) -> str:
    """What OpenAPI documents call a type."""
    package, _, name = definition.rpartition(".")
    group, _, version = package.partition("/")
    home = _HOMES.get(package) or f"{_HOMES.get(group, f'io.k8s.api.{group}')}.{version}"
    return f"{home}.{name}"


def inline_messages(definition: str) -> list[list[int]]:
    """The paths of protobuf messages whose fields stand in their parent in JSON."""
    paths: list[list[int]] = _facts(definition).get("i", [])
    return paths


def _facts(definition: str) -> dict[str, Any]:
    package, _, name = definition.rpartition(".")
    facts: dict[str, Any] = _package(package)[name]
    return facts


@cache
def _package(name: str) -> dict[str, Any]:
    facts: dict[str, Any] = orjson.loads((_DATA / f"{name.replace('/', '_')}.json").read_bytes())
    return facts


def _load(target: Node, facts: Mapping[str, Any]) -> None:
    target.type = "object"
    target.required = tuple(facts.get("r", ()))
    target.map_type = facts.get("m", "")
    properties = {name: _property(field) for name, field in facts["f"].items()}
    if facts.get("tm"):
        properties = {name: each for name, each in type_meta().items() if name != "metadata"} | properties
    target.properties = properties


def _notes(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What documents and the protobuf codec want to know of a type."""
    notes: dict[str, Any] = {}
    if "u" in facts:
        notes["x-kubernetes-unions"] = [
            {
                **({"discriminator": union["discriminator"]} if "discriminator" in union else {}),
                "fields-to-discriminateBy": union["fields"],
            }
            for union in facts["u"]
        ]
    return notes


def _property(facts: Mapping[str, Any] | str) -> Property:
    if isinstance(facts, str):
        facts = {"t": facts}
    text = facts["t"]
    notes: dict[str, Any] = {}
    if facts.get("z"):
        notes["default"] = _ZEROS.get(text, {})
    if facts.get("dep"):
        notes["deprecated"] = True
    return Property(
        node=_of_field(text, facts),
        pointer=bool(facts.get("p")),
        emit=_EMIT[facts.get("e", "")],
        inline=facts.get("in", ""),
        patch_strategy=facts.get("ps", ""),
        patch_merge_key=facts.get("pk", ""),
        protobuf=_message_field(text, facts) if "n" in facts else None,
        notes=notes,
    )


def _of_field(text: str, facts: Mapping[str, Any]) -> Node:
    """The node of a field's type, with what is said of the field alone."""
    named = facts.get("go", "")
    if text.startswith("[]"):
        items, keys = _of_type(text[2:], facts), tuple(facts.get("k", ()))
        return Node(type="array", items=items, list_type=facts.get("l", ""), list_map_keys=keys, go_type=named)
    if text.startswith("{}"):
        return Node(type="object", values=_of_type(text[2:], facts), map_type=facts.get("m", ""), go_type=named)
    default = facts.get("d", NOTHING)
    if text in _SCALARS:
        limits = Limits(enum=tuple(facts["x"])) if "x" in facts else Limits()
        return Node(**_SCALARS[text], limits=limits, default=default, go_type=named)
    changes = {} if default is NOTHING else {"default": default}
    if "m" in facts:
        changes["map_type"] = facts["m"]
    found = node(text)
    return found.changed(**changes) if changes else found


def _of_type(text: str, facts: Mapping[str, Any]) -> Node:
    """The node of a list's items or a map's values."""
    if text.startswith(("[]", "{}")):
        return _of_field(text, {})
    inner = {key: facts[name] for key, name in (("x", "ix"), ("d", "id"), ("go", "igo")) if name in facts}
    return _of_field(text, inner)


def _message_field(text: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """n number, t type, w wire type, rep repeated, k and v key and value of a map, via the inline messages above."""
    found: dict[str, Any] = {"n": facts["n"], **(facts.get("pb") or _regular(text))}
    if "v" in facts:
        found["via"] = facts["v"]
    return found


def _regular(text: str) -> dict[str, Any]:
    if text.startswith("[]"):
        return {"rep": True, **_regular(text[2:])}
    if text.startswith("{}"):
        return {"t": "map", "w": 2, "k": "string", "v": text[2:]}
    return {"t": text, "w": _WIRE_TYPES.get(text, 2)}
