"""A server that is not ours: a few kinds, objects in a dictionary, and a record of what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from localplane.apimachinery.objects import JSONObject

_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_TABLE = "as=Table"
_KINDS: dict[str, dict[str, tuple[str, bool, str]]] = {
    "": {
        "configmaps": ("ConfigMap", True, "cm"),
        "events": ("Event", True, "ev"),
        "namespaces": ("Namespace", False, "ns"),
        "nodes": ("Node", False, "no"),
        "pods": ("Pod", True, "po"),
        "services": ("Service", True, "svc"),
    },
    "apps": {"deployments": ("Deployment", True, "deploy"), "replicasets": ("ReplicaSet", True, "rs")},
    "autoscaling": {"horizontalpodautoscalers": ("HorizontalPodAutoscaler", True, "hpa")},
    "certificates.k8s.io": {"certificatesigningrequests": ("CertificateSigningRequest", False, "csr")},
}
_VERSIONS = {"autoscaling": "v2"}


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    target: str
    headers: dict[str, str]
    body: str

    def __str__(self) -> str:
        return f"{self.method} {self.target}"


class ForeignServer(ThreadingHTTPServer):
    """`etag` answers discovery as it was asked for. Without `aggregated` its types are told version by version."""

    def __init__(self, *, aggregated: bool = True, etag: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.aggregated = aggregated
        self.etag = etag
        self.seen: list[Asked] = []
        self.documents: dict[str, JSONObject] = {}
        """What is answered at other paths."""
        self.said: Callable[[Any], Any] = lambda document: document
        """What becomes of a document before it is sent."""
        self.objects: dict[str, JSONObject] = {}
        self.kinds = {group: dict(kinds) for group, kinds in _KINDS.items()}
        for one in _objects():
            self.put(one)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def asked(self) -> list[str]:
        """And forget it."""
        seen, self.seen = self.seen, []
        return [str(one) for one in seen]

    def put(self, obj: JSONObject) -> None:
        self.objects[self._path(obj)] = obj

    def _path(self, obj: JSONObject) -> str:
        group = obj["apiVersion"].rpartition("/")[0]
        resource, (_, namespaced, _) = next(
            (name, found) for name, found in self.kinds[group].items() if found[0] == obj["kind"]
        )
        root = f"/apis/{obj['apiVersion']}" if group else "/api/v1"
        return f"{root}{'/namespaces/default' if namespaced else ''}/{resource}/{obj['metadata']['name']}"

    def discovery(self, path: str) -> JSONObject | None:
        if path in ("/api", "/apis"):
            return self._aggregated(path) if self.aggregated else self._groups(path)
        parts = path.strip("/").split("/")
        group = parts[1] if parts[0] == "apis" and len(parts) == 3 else ""
        if path != "/api/v1" and not group:
            return None
        resources = [_legacy(name, found) for name, found in self.kinds.get(group, {}).items()]
        version = path.removeprefix("/apis/").removeprefix("/api/")
        return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": resources}

    def _groups(self, path: str) -> JSONObject:
        if path == "/api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        found = []
        for group in self.kinds:
            if group:
                version = {"groupVersion": f"{group}/{_version(group)}", "version": _version(group)}
                found.append({"name": group, "versions": [version], "preferredVersion": version})
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": found}

    def _aggregated(self, path: str) -> JSONObject:
        items = []
        for group, kinds in self.kinds.items():
            if bool(group) == (path == "/apis"):
                resources = [_resource(group, name, found) for name, found in kinds.items()]
                versions = [{"version": _version(group), "resources": resources, "freshness": "Current"}]
                items.append({"metadata": {"name": group} if group else {}, "versions": versions})
        return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items}


def _version(group: str) -> str:
    return _VERSIONS.get(group, "v1")


def _resource(group: str, name: str, found: tuple[str, bool, str]) -> JSONObject:
    kind, namespaced, short = found
    scale = {"group": "autoscaling", "version": "v1", "kind": "Scale"}
    return {
        "resource": name,
        "responseKind": {"group": group, "version": _version(group), "kind": kind},
        "scope": "Namespaced" if namespaced else "Cluster",
        "singularResource": kind.lower(),
        "shortNames": [short],
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        "subresources": [{"subresource": "scale", "responseKind": scale, "verbs": ["get", "patch", "update"]}]
        if name == "deployments"
        else [],
    }


def _legacy(name: str, found: tuple[str, bool, str]) -> JSONObject:
    kind, namespaced, short = found
    return {
        "name": name,
        "singularName": kind.lower(),
        "namespaced": namespaced,
        "kind": kind,
        "verbs": ["get", "list"],
        "shortNames": [short],
    }


def _objects() -> list[JSONObject]:
    container = {"name": "c", "image": "nginx"}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _metadata("a"), "data": {"x": "1"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": _metadata("p"), "spec": {"containers": [container]}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": _metadata("web"), "spec": spec},
        {"apiVersion": "v1", "kind": "Node", "metadata": {**_metadata("n"), "namespace": ""}},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}},
        {
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "metadata": {"name": "r", "uid": "u"},
            "spec": {"request": "", "signerName": "s", "usages": []},
        },
    ]


def _metadata(name: str) -> JSONObject:
    return {"name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": "7"}


class _Handler(BaseHTTPRequestHandler):
    server: ForeignServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._noted()
        path, accept = urlsplit(self.path).path, self.headers.get("Accept", "")
        if path in self.server.documents:
            self._answer(self.server.documents[path])
        elif (types := self.server.discovery(path)) is not None:
            self._types(types)
        elif path == "/version":
            self._answer({"major": "1", "minor": "37", "gitVersion": "v1.37.0"})
        elif path in self.server.objects:
            self._answer(_table([self.server.objects[path]]) if _TABLE in accept else self.server.objects[path])
        elif path.endswith("/scale"):
            self._answer(_scale(self.server.objects[path.removesuffix("/scale")]))
        elif (kind := self._kind_of(path)) is not None:
            inside = [one for key, one in self.server.objects.items() if key.rpartition("/")[0] == path]
            listed = {"kind": f"{kind}List", "apiVersion": "v1", "metadata": {"resourceVersion": "9"}, "items": inside}
            self._answer(_table(inside) if _TABLE in accept else listed)
        else:
            self._not_found(path)

    def do_POST(self) -> None:
        body = self._noted()
        sent = json.loads(body)
        if sent.get("kind") == "SelfSubjectAccessReview":
            sent["status"] = {"allowed": True}
        elif sent.get("kind") == "SelfSubjectReview":
            sent["status"] = {"userInfo": {"username": "jane"}}
        self._answer(sent, 201)

    def do_PUT(self) -> None:
        self._answer(json.loads(self._noted()))

    def do_PATCH(self) -> None:
        body, path = self._noted(), urlsplit(self.path).path
        if path.endswith("/scale"):
            self._answer(_scale(self.server.objects[path.removesuffix("/scale")]))
            return
        applied = "apply-patch" in self.headers.get("Content-Type", "")
        found = json.loads(body) if applied and path not in self.server.objects else self.server.objects.get(path)
        if found is None:
            self._not_found(path)
        else:
            self._answer({**found, "metadata": {**found["metadata"], "resourceVersion": "8"}})

    def do_DELETE(self) -> None:
        self._noted()
        self.server.objects.pop(urlsplit(self.path).path, None)
        self._answer({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"})

    def _noted(self) -> str:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        self.server.seen.append(Asked(self.command, self.path, dict(self.headers.items()), body))
        return body

    def _kind_of(self, path: str) -> str | None:
        resource = path.rpartition("/")[2]
        return next((kinds[resource][0] for kinds in self.server.kinds.values() if resource in kinds), None)

    def _types(self, types: JSONObject) -> None:
        if self.server.etag and self.headers.get("If-None-Match") == self.server.etag:
            self.send_response(304)
            self.end_headers()
            return
        kind = _AGGREGATED if types["kind"] == "APIGroupDiscoveryList" else "application/json"
        self._answer(types, kind=kind, etag=self.server.etag)

    def _not_found(self, path: str) -> None:
        resource, _, name = path.rpartition("/")
        message = f'{resource.rpartition("/")[2]} "{name}" not found'
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "message": message}
        self._answer({**status, "code": 404}, 404)

    def _answer(
        self, document: JSONObject, status: int = 200, *, kind: str = "application/json", etag: str = ""
    ) -> None:
        body = json.dumps(self.server.said(document)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if etag:
            self.send_header("ETag", etag)
        if document.get("kind") == "Table":
            self.send_header("Warning", f'299 - "{self.server.said("mind the gap")}"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its parent's name
        """Nobody reads it."""


def _table(objects: list[JSONObject]) -> JSONObject:
    rows = [{"cells": [one["metadata"]["name"]], "object": one} for one in objects]
    columns = [{"name": "Name", "type": "string", "format": "name"}]
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "9"},
        "columnDefinitions": columns,
        "rows": rows,
    }


def _scale(obj: JSONObject) -> JSONObject:
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": obj["metadata"],
        "spec": {"replicas": obj["spec"]["replicas"]},
    }


@contextmanager
def serving(*, aggregated: bool = True, etag: str = "") -> Iterator[ForeignServer]:
    with ForeignServer(aggregated=aggregated, etag=etag) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
