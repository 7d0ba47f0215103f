"""From client-side to server-side apply: the annotation in which kubectl kept what it last applied.

Only the manager named `kubectl` is kubectl. Kubernetes: apimachinery/pkg/util/managedfields/internal
(lastappliedmanager.go, lastappliedupdater.go).
"""

from __future__ import annotations

import json
from typing import Final

from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema.values import in_order

from .comparison import compare, fields_of
from .errors import Unmanageable
from .fieldset import Fields, difference
from .typed import Type
from .validation import faults

ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
KUBECTL: Final = "kubectl"

_MAX_ANNOTATIONS: Final = 256 * 1024  # bytes of all keys and values together


def forgiven(kind: Type, live: JSONObject, api_version: str) -> Fields:
    """The fields that kubectl may take from others without a conflict: it applied them, and they are still so."""
    text = _annotations(live).get(ANNOTATION)
    last = _read(text) if isinstance(text, str) else None
    if last is None or last.get("apiVersion") != api_version or next(faults(kind, last), None) is not None:
        return {}
    try:
        changed = compare(kind, last, live)
        fields = fields_of(kind, last)
    except Unmanageable:
        return {}
    for gone in (changed.modified, changed.added, changed.removed):
        fields = difference(fields, gone)
    return fields


def _read(text: str) -> JSONObject | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def refreshed(obj: JSONObject, config: JSONObject) -> JSONObject:
    """The object with its annotation, if it has one, saying what was applied now."""
    annotations = _annotations(obj)
    if not annotations.get(ANNOTATION):
        return obj
    updated = {**annotations, ANNOTATION: _written(config)}
    size = sum(len(name.encode()) + len(str(value).encode()) for name, value in updated.items())
    if size > _MAX_ANNOTATIONS:
        del updated[ANNOTATION]
    return {**obj, "metadata": {**obj["metadata"], "annotations": updated}}


def _written(config: JSONObject) -> str:
    """As client-side apply writes it: sorted, without the annotation itself, on a line of its own."""
    annotations = _annotations(config)
    if ANNOTATION in annotations:
        kept = {name: value for name, value in annotations.items() if name != ANNOTATION}
        metadata = {name: value for name, value in config["metadata"].items() if name != "annotations"}
        config = {**config, "metadata": {**metadata, "annotations": kept} if kept else metadata}
    return f"{go_json(in_order(config))}\n"


def _annotations(obj: JSONObject) -> JSONObject:
    metadata = obj.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}
