"""A metrics server that measures nothing, with the few nodes and pods of which it tells: JSON, or protobuf if asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.fields import parse as parse_fields
from localplane.apimachinery.selectors.labels import parse as parse_labels
from localplane.apimachinery.serializers.protobuf import delimited, enveloped, head
from localplane.apimachinery.times import now

OLD = "2024-01-01T00:00:00Z"
_GROUP = "metrics.k8s.io"


def _named(name: str, namespace: str = "", **labels: str) -> JSONObject:
    return {"name": name, "labels": labels, "creationTimestamp": OLD} | ({"namespace": namespace} if namespace else {})


def _node(name: str, zone: str, allocatable: JSONObject, swap: int | None = None) -> JSONObject:
    capacity = {"cpu": "4", "memory": "8Gi"}
    status: JSONObject = {"capacity": capacity, "allocatable": allocatable, "nodeInfo": {}}
    if swap is not None:
        status["nodeInfo"]["swap"] = {"capacity": swap}
    return {"metadata": _named(name, zone=zone), "status": status}


def _container(name: str, cpu: str, memory: str, **more: str) -> JSONObject:
    return {"name": name, "usage": {"cpu": cpu, "memory": memory, **more}}


NODES = [
    _node("n1", "a", {"cpu": "3", "memory": "4Gi"}, 1 << 30),
    _node("n2", "b", {"cpu": "0", "memory": "4Gi"}),
    _node("n3", "c", {"cpu": "3", "memory": "4Gi"}),
]
NODE_METRICS = [
    {"metadata": _named("n1", zone="a"), "usage": {"cpu": "1500m", "memory": "1Gi", "swap": "100Mi"}},
    {"metadata": _named("n2", zone="b"), "usage": {"cpu": "2500123n", "memory": "3Gi"}},
]


def _pods() -> list[JSONObject]:
    """One of them is always new."""
    young = {**_named("young", "shop", app="young"), "creationTimestamp": now()}
    return [
        {"metadata": _named("web", "shop", app="web"), "spec": {"nodeName": "n1"}},
        {"metadata": _named("db", "shop", app="db"), "spec": {"nodeName": "n2"}},
        {"metadata": young, "spec": {}},
        {"metadata": _named("old", "shop", app="old"), "spec": {}},
    ]


POD_METRICS = [
    {
        "metadata": _named("web", "shop", app="web"),
        "containers": [_container("side", "5m", "128Mi", swap="3Mi"), _container("main", "100m", "64Mi")],
    },
    {"metadata": _named("db", "shop", app="db"), "containers": [_container("pg", "1", "1Gi", swap="7Mi")]},
    {"metadata": _named("db", "other", app="db"), "containers": [_container("pg", "2m", "3Mi")]},
]


class _Handler(BaseHTTPRequestHandler):
    version = "v1beta1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        words = parts.path.strip("/").split("/")
        if words == ["api"]:
            self._answer(200, {"kind": "APIVersions", "versions": ["v1"]})
        elif words == ["apis"]:
            self._answer(200, {"kind": "APIGroupList", "groups": self._groups()})
        elif words[0] == "api" and len(words) > 2:
            self._objects(words[2:], query, NODES, _pods(), "")
        elif words[:2] == ["apis", _GROUP] and len(words) > 3:
            self._objects(words[3:], query, NODE_METRICS, POD_METRICS, _GROUP)
        else:
            self._answer(200, {"kind": "APIResourceList", "resources": []})

    def _groups(self) -> list[JSONObject]:
        if not self.version:
            return []
        version = {"groupVersion": f"{_GROUP}/{self.version}", "version": self.version}
        return [{"name": _GROUP, "versions": [version], "preferredVersion": version}]

    def _objects(
        self, words: list[str], query: dict[str, list[str]], nodes: list[JSONObject], pods: list[JSONObject], group: str
    ) -> None:
        namespace = words[1] if words[0] == "namespaces" else ""
        resource, *name = words[2:] if namespace else words
        found = [
            one
            for one in (nodes if resource == "nodes" else pods)
            if not namespace or one["metadata"]["namespace"] == namespace
        ]
        kind = ("NodeMetrics" if resource == "nodes" else "PodMetrics") if group else "List"
        if name:
            one = next((one for one in found if one["metadata"]["name"] == name[0]), None)
            if one is None:
                self._missing(f"{resource}.{group}" if group else resource, name[0])
            else:
                self._metrics(kind, one)
            return
        labels = parse_labels(query.get("labelSelector", [""])[0])
        fields = parse_fields(query.get("fieldSelector", [""])[0])
        chosen = [
            one
            for one in found
            if labels.matches(one["metadata"]["labels"])
            and fields.matches({"spec.nodeName": one.get("spec", {}).get("nodeName", "")})
        ]
        self._metrics(f"{kind}List" if group else kind, {"items": chosen})

    def _metrics(self, kind: str, obj: JSONObject) -> None:
        if kind == "List" or "protobuf" not in self.headers["Accept"]:
            self._answer(200, obj)
            return
        # Swap is another one here, so that a test sees in which form the numbers came.
        items = obj.get("items", [obj])
        messages = [_message(one, swap="1Mi") for one in items]
        body = b"".join(delimited(b"\x12", one) for one in messages) if "items" in obj else messages[0]
        self._send(200, "application/vnd.kubernetes.protobuf", enveloped(head(f"{_GROUP}/v1beta1", kind), body))

    def _missing(self, resource: str, name: str) -> None:
        message = f'{resource} "{name}" not found'
        self._answer(
            404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404, "message": message}
        )

    def _answer(self, code: int, document: JSONObject) -> None:
        self._send(code, "application/json", json.dumps(document).encode())

    def _send(self, code: int, media_type: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        """A test's output is no place for it."""


def _message(obj: JSONObject, *, swap: str) -> bytes:
    """{1 metadata {1 name, 3 namespace}, 4 usage or containers {1 name, 2 usage}}; all swap is `swap`."""
    metadata = obj["metadata"]
    named = delimited(b"\x0a", metadata["name"].encode()) + delimited(b"\x1a", metadata.get("namespace", "").encode())
    message = delimited(b"\x0a", named)
    if "usage" in obj:
        return message + _usage(b"\x22", obj["usage"], swap)
    for one in obj["containers"]:
        message += delimited(b"\x22", delimited(b"\x0a", one["name"].encode()) + _usage(b"\x12", one["usage"], swap))
    return message


def _usage(key: bytes, usage: JSONObject, swap: str) -> bytes:
    pairs = usage | {"swap": swap}
    return b"".join(
        delimited(key, delimited(b"\x0a", name.encode()) + delimited(b"\x12", delimited(b"\x0a", text.encode())))
        for name, text in pairs.items()
    )


@contextmanager
def metrics_server(version: str = "v1beta1") -> Iterator[str]:
    """Its URL. Without a version it has no metrics at all."""
    handler = type("Handler", (_Handler,), {"version": version})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
