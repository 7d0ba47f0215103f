"""Flags that both commands have.

Metrics that come as protobuf, read into the same dictionaries as from JSON.

Only what `kctl top` shows is read. Kubernetes: metrics/pkg/apis/metrics/v1beta1, generated.proto; v1 has the same
numbers.

Asking for metrics. Kubernetes: kubectl/pkg/cmd/top, getMetricsFromMetricsAPI and getNodeMetricsFromMetricsAPI.
"""

from __future__ import annotations

from collections.abc import Iterator

from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors import fields as apimachinery_fields
from localplane.apimachinery.selectors import labels
from localplane.apimachinery.serializers.protobuf import fields, opened
from localplane.client.rest.discovery import ACCEPT
from localplane.client.rest.statuses import Subject

__all__ = ["NO_HEADERS", "PROTOBUF", "check_sorting", "sort_by", "switch"]

NO_HEADERS = switch("no-headers", "Leave the line of headers out.")
PROTOBUF = switch("use-protocol-buffers", "Ask for protobuf, which is smaller; with false, for JSON.", default=True)


def sort_by(what: str) -> Flag:
    return Flag("sort-by", usage=f"Sort {what} by what they use, the most first: cpu or memory. By name without it.")


def check_sorting(flags: FlagSet) -> None:
    if flags.text("sort-by") not in ("", "cpu", "memory"):
        raise KctlError("--sort-by accepts only cpu or memory")


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


_GROUP = "metrics.k8s.io"
_VERSIONS = ("v1", "v1beta1")
_PROTOBUF = "application/vnd.kubernetes.protobuf"


class Metrics:
    """`protobuf` is whether answers are wanted in it; a server that knows only JSON may still answer so."""

    def __init__(self, session: Session, *, protobuf: bool) -> None:
        self._session = session
        self._accept = f"{_PROTOBUF if protobuf else 'application/json'}, */*"

    async def version(self) -> str:
        """The first in the server's order that we can read. Raises KctlError if there is none."""
        for path in ("/api", "/apis"):
            document = (await self._session.client.request("GET", path, headers=[("Accept", ACCEPT)])).json()
            for version in _versions(document):
                if version in _VERSIONS:
                    return version
        raise KctlError("Metrics API not available")

    async def read(self, resource: str, *, namespace: str = "", name: str = "", labels: str = "") -> list[JSONObject]:
        """Of one by its `name`, or of all that the labels select. Raises APIError."""
        where = f"/namespaces/{namespace}" if namespace else ""
        path = f"/apis/{_GROUP}/{await self.version()}{where}/{resource}"
        answer = await self._session.client.request(
            "GET",
            f"{path}/{name}" if name else path,
            query=[("labelSelector", labels)] if labels else [],
            headers=[("Accept", self._accept)],
            subject=Subject("GET", GroupResource(_GROUP, resource), name),
        )
        found = _decoded(answer.body) if answer.body.startswith(b"k8s\x00") else answer.json()
        return [found] if name else list(found.get("items") or ())


def _versions(document: JSONObject) -> list[str]:
    """Of the group, in an APIGroupDiscoveryList or in an APIGroupList: which of them depends on the server."""
    for group in document.get("items") or document.get("groups") or ():
        if _GROUP in (group.get("name"), (group.get("metadata") or {}).get("name")):
            return [str(one.get("version", "")) for one in group.get("versions") or ()]
    return []


def _decoded(body: bytes) -> JSONObject:

    return decoded(body)


def label_selector(text: str) -> str:
    """In its one form. Raises KctlError."""
    try:
        return str(labels.parse(text))
    except labels.InvalidSelector as error:
        raise KctlError(str(error)) from error


def field_selector(text: str) -> str:
    try:
        return str(apimachinery_fields.parse(text))
    except apimachinery_fields.InvalidSelector as error:
        raise KctlError(str(error)) from error
