"""ConfigMaps: texts and bytes by key. Kubernetes: pkg/registry/core/configmap, ValidateConfigMap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, forbidden, invalid, too_long
from localplane.apimachinery.names import dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors

from .data_keys import LARGEST, decoded_size, key_problems

_DATA, _BINARY = Path("data"), Path("binaryData")
FROZEN = "field is immutable when `immutable` is set"


class ConfigMapStrategy(Strategy):
    validates_schema = False
    allow_unconditional_update = True
    tracks_generation = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_errors(obj, namespaced=True, name=dns1123_subdomain), _content_errors(obj))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_update_errors(obj, old),
            frozen_errors(obj, old, "data", "binaryData"),
            self.validate(request, obj),
        )


def frozen_errors(obj: JSONObject, old: JSONObject, *fields: str) -> Iterator[FieldError]:
    """What may not change any more once `immutable` is set, in ConfigMaps and Secrets."""
    if not old.get("immutable"):
        return
    if not obj.get("immutable"):
        yield forbidden("immutable", FROZEN)
    for field in fields:
        if (obj.get(field) or {}) != (old.get(field) or {}):
            yield forbidden(field, FROZEN)


def _content_errors(obj: JSONObject) -> Iterator[FieldError]:
    texts, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    for key in texts:
        yield from (invalid(_DATA[key], key, problem) for problem in key_problems(key))
        if key in binary:
            yield invalid(_DATA[key], key, "duplicate of key present in binaryData")
    for key in binary:
        yield from (invalid(_BINARY[key], key, problem) for problem in key_problems(key))
    if sum(map(size, texts.values())) + sum(map(decoded_size, binary.values())) > LARGEST:
        yield too_long("[]", LARGEST)


def _cells(obj: JSONObject) -> list[Any]:
    metadata = obj["metadata"]
    count = len(obj.get("data") or ()) + len(obj.get("binaryData") or ())
    return [metadata["name"], count, age(metadata.get("creationTimestamp"))]


CONFIG_MAPS = builtin("configmaps", strategy=ConfigMapStrategy(), cells=_cells)
