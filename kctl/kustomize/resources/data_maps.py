"""The data of config maps and secrets. Kubernetes: kyaml/yaml/datamap.go."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from kctl.kustomize.nodes.fields import set_field
from kctl.kustomize.nodes.node import Map, Scalar, text, text_of

from .resource import Resource

_LINE = 70


def put_config_map_data(node: Map, pairs: Mapping[str, bytes]) -> None:
    """What is no text goes to `binaryData`."""
    for key in sorted(pairs):
        try:
            name, value = "data", pairs[key].decode("utf-8")
        except UnicodeDecodeError:
            name, value = "binaryData", encoded(pairs[key])
        _put(node, name, key, value)


def put_secret_data(node: Map, pairs: Mapping[str, bytes]) -> None:
    node.setdefault("data", Map())
    for key in sorted(pairs):
        _put(node, "data", key, encoded(pairs[key]))


def merge_data(resource: Resource, old: Resource) -> None:
    """The old one's data as well, of which ours count."""
    for name in ("data", "binaryData"):
        merged = {**_texts(old, name), **_texts(resource, name)}
        resource.node.pop(name, None)
        for key in sorted(merged):
            _put(resource.node, name, key, merged[key])


def _texts(resource: Resource, name: str) -> dict[str, str]:
    field = resource.node.get(name)
    return {key: text_of(value) for key, value in field.items()} if isinstance(field, Map) else {}


def _put(node: Map, name: str, key: str, value: str) -> None:
    scalar: Scalar = text(value)
    scalar.style = "|" if "\n" in value else ""
    set_field(node.setdefault(name, Map()), key, scalar)


def encoded(value: bytes) -> str:
    """Base64, in lines if it is long."""
    digits = base64.b64encode(value).decode()
    if len(digits) < _LINE:
        return digits
    return "".join(f"{digits[start : start + _LINE]}\n" for start in range(0, len(digits), _LINE))
