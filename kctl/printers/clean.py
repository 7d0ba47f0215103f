"""Objects without what a server adds to them, and secrets that can be read."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from kctl.printers.objects import is_list
from localplane.apimachinery.objects import JSONObject

_BY_SERVER = frozenset(
    (
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "managedFields",
        "resourceVersion",
        "selfLink",
        "uid",
    )
)
_BOOKKEEPING = frozenset(("kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision"))


def cleaned(obj: JSONObject) -> JSONObject:
    """What somebody would have written to get it: no status, none of the server's metadata."""
    if is_list(obj):
        return {**obj, "items": [cleaned(item) for item in obj["items"]]}
    kept: JSONObject = {key: value for key, value in obj.items() if key != "status"}
    if isinstance(obj.get("metadata"), dict):
        kept["metadata"] = _metadata(obj["metadata"])
    template = (kept.get("spec") or {}).get("template") if isinstance(kept.get("spec"), dict) else None
    if isinstance(template, dict) and isinstance(template.get("metadata"), dict):
        metadata = {key: value for key, value in template["metadata"].items() if value is not None}
        kept["spec"] = {**kept["spec"], "template": {**template, "metadata": metadata}}
    return kept


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in metadata.items() if key not in _BY_SERVER}
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key not in _BOOKKEEPING}
    kept.pop("annotations", None)
    return kept | ({"annotations": annotations} if annotations else {})


def decoded(obj: JSONObject) -> JSONObject:
    """Secrets with their data as text, where it is text; such a Secret can be applied as it is."""
    if is_list(obj):
        return {**obj, "items": [decoded(item) for item in obj["items"]]}
    if obj.get("kind") != "Secret" or not isinstance(obj.get("data"), dict):
        return obj
    texts, rest = dict(obj.get("stringData") or {}), {}
    for key, value in obj["data"].items():
        text = _text(value)
        if text is None:
            rest[key] = value
        else:
            texts[key] = text
    kept = {key: value for key, value in obj.items() if key not in ("data", "stringData")}
    return kept | ({"data": rest} if rest else {}) | ({"stringData": texts} if texts else {})


def _text(value: Any) -> str | None:
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, TypeError):
        return None
