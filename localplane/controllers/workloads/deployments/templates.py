"""Whether two pod templates ask for the same pods, however they are written.

Kubernetes: pkg/controller/deployment/util, EqualIgnoreHash, and apimachinery/pkg/api/equality, Semantic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.quantity import InvalidQuantity, parse

HASH_LABEL: Final = "pod-template-hash"
"""Tells the pods of a deployment's replica sets apart. A deployment's own template does not have it."""

_MAPS: Final = frozenset(
    {
        *("labels", "annotations", "nodeSelector", "limits", "requests", "overhead"),
        *("matchLabels", "volumeAttributes", "options"),
    }
)
"""Without entries they say nothing. Other objects say something by being there."""
_AMOUNTS: Final = frozenset({"limits", "requests", "overhead"})
_AMOUNT_FIELDS: Final = frozenset({"sizeLimit", "divisor"})


def same_template(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """But for the label that tells replica sets apart."""
    return _same_values(_without_hash(one), _without_hash(other))


def _without_hash(template: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = template.get("metadata") or {}
    labels = metadata.get("labels") or {}
    if HASH_LABEL not in labels:
        return template
    rest = {key: value for key, value in labels.items() if key != HASH_LABEL}
    return {**template, "metadata": {**metadata, "labels": rest}}


def _same(one: Any, other: Any, field: str) -> bool:
    if one == other or (_says_nothing(one, field) and _says_nothing(other, field)):
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        if field in _AMOUNTS:
            return one.keys() == other.keys() and all(_same_amounts(one[key], other[key]) for key in one)
        return _same_values(one, other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(*pair, "") for pair in zip(one, other, strict=True))
    return field in _AMOUNT_FIELDS and _same_amounts(one, other)


def _same_values(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(_same(one.get(key), other.get(key), key) for key in one.keys() | other.keys())


def _says_nothing(value: Any, field: str) -> bool:
    return value is None or value == [] or (value == {} and field in _MAPS)


def _same_amounts(one: Any, other: Any) -> bool:
    try:
        return parse(str(one)) == parse(str(other))
    except InvalidQuantity:
        return False
