"""Metrics that come as protobuf, read into the same dictionaries as from JSON.

Only what `kctl top` shows is read. Kubernetes: metrics/pkg/apis/metrics/v1beta1, generated.proto; v1 has the same
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.protobuf import fields, opened

_NAME, _NAMESPACE = 1, 3
_METADATA, _ITEMS = 1, 2
_CONTAINERS_OR_USAGE = 4


def decoded(body: bytes) -> JSONObject:
    """Raises ProtobufError."""
    envelope = opened(body)
    if envelope.kind.endswith("List"):
        kind = envelope.kind.removesuffix("List")
        return {"items": [_one(kind, message) for message in _each(envelope.message, _ITEMS)]}
    return _one(envelope.kind, envelope.message)


def _one(kind: str, message: bytes) -> JSONObject:
    found: JSONObject = {"metadata": _metadata(message)}
    if kind == "PodMetrics":
        found["containers"] = [
            {"name": _text(container, 1), "usage": _usage(container, 2)}
            for container in _each(message, _CONTAINERS_OR_USAGE)
        ]
    else:
        found["usage"] = _usage(message, _CONTAINERS_OR_USAGE)
    return found


def _metadata(message: bytes) -> JSONObject:
    metadata = next(_each(message, _METADATA), b"")
    return {"name": _text(metadata, _NAME), "namespace": _text(metadata, _NAMESPACE)}


def _usage(message: bytes, number: int) -> JSONObject:
    """A map is a list of pairs {1 key, 2 value}, and a quantity a message with its text {1 string}."""
    return {_text(pair, 1): _text(next(_each(pair, 2), b""), 1) for pair in _each(message, number)}


def _text(message: bytes, number: int) -> str:
    return next(_each(message, number), b"").decode("utf-8", "replace")


def _each(message: bytes, number: int) -> Iterator[bytes]:
    return (payload for found, payload in fields(message) if found == number and isinstance(payload, bytes))
