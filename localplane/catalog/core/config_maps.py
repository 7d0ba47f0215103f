"""ConfigMaps: texts and bytes by key. Kubernetes: pkg/registry/core/configmap, ValidateConfigMap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, too_long
from localplane.apimachinery.names import config_map_key, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import All, ChangeRule, Changes

from .data_keys import LARGEST, decoded_size

_DATA, _BINARY = Path("data"), Path("binaryData")
FROZEN = "field is immutable when `immutable` is set"


def frozen(*fields: str) -> ChangeRule:
    """A rule: what may not change any more once `immutable` is set, in ConfigMaps and Secrets."""

    def errors(obj: JSONObject, old: JSONObject, _: Path) -> Iterator[FieldError]:
        if not old.get("immutable"):
            return
        if not obj.get("immutable"):
            yield forbidden("immutable", FROZEN)
        for field in fields:
            if (obj.get(field) or {}) != (old.get(field) or {}):
                yield forbidden(field, FROZEN)

    return errors


def _content_errors(obj: JSONObject, _: Path) -> Iterator[FieldError]:
    texts, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    for key in texts:
        yield from (invalid(_DATA[key], key, problem) for problem in config_map_key(key))
        if key in binary:
            yield invalid(_DATA[key], key, "duplicate of key present in binaryData")
    for key in binary:
        yield from (invalid(_BINARY[key], key, problem) for problem in config_map_key(key))
    if sum(map(size, texts.values())) + sum(map(decoded_size, binary.values())) > LARGEST:
        yield too_long("[]", LARGEST)


class ConfigMapStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    rules = All(_content_errors)
    changes = Changes(frozen("data", "binaryData"))
    on_update = (Asked.METADATA, Asked.CHANGES, Asked.OBJECT)


def _cells(obj: JSONObject) -> list[Any]:
    metadata = obj["metadata"]
    count = len(obj.get("data") or ()) + len(obj.get("binaryData") or ())
    return [metadata["name"], count, age(metadata.get("creationTimestamp"))]


CONFIG_MAPS = builtin("configmaps", strategy=ConfigMapStrategy(), cells=_cells)
