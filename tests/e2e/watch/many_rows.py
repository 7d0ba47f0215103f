"""A server with very many pods, of which fifty change each second: what a plane would take half a minute to hold."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

_VERBS = ["delete", "get", "list", "patch", "watch"]
_POD = {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": _VERBS, "shortNames": ["po"]}
_ANSWERS: dict[str, Any] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": [_POD]},
}
_COLUMNS = [
    {"name": "Name", "type": "string", "format": "name", "priority": 0},
    {"name": "Ready", "type": "string", "priority": 0},
    {"name": "Status", "type": "string", "priority": 0},
    {"name": "Age", "type": "string", "priority": 0},
]
PAUSE = 0.02


class ManyRows(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, count: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.count = count
        self.changes = 0
        self.stopped = threading.Event()
        self.warning = ""
        self.refuses = False
        """From then on: what is watched ends, and is forbidden."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def row(self, number: int, *, version: int, status: str = "Running") -> dict[str, Any]:
        metadata = {
            "name": f"pod-{number:05}",
            "namespace": "default",
            "uid": f"u{number}",
            "resourceVersion": str(version),
            "creationTimestamp": "2026-01-01T00:00:00Z",
        }
        cells = [metadata["name"], "1/1" if status == "Running" else "0/1", status, "1d"]
        return {"cells": cells, "object": {"kind": "PartialObjectMetadata", "metadata": metadata}}

    def table(self, rows: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "kind": "Table",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": {"resourceVersion": str(self.count)},
            "columnDefinitions": _COLUMNS,
            "rows": rows,
        }


class _Handler(BaseHTTPRequestHandler):
    server: ManyRows
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path in _ANSWERS:
            self._answer(_ANSWERS[parts.path])
        elif self.server.refuses:
            refusal = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "pods are forbidden: no"}
            self._answer({**refusal, "reason": "Forbidden", "code": 403}, 403)
        elif parts.path != "/api/v1/namespaces/default/pods":
            name = parts.path.rpartition("/")[2]
            self._answer({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name, "namespace": "default"}})
        elif "watch" in parse_qs(parts.query):
            self._watch()
        else:
            self._answer(self.server.table([self.server.row(n, version=n + 1) for n in range(self.server.count)]))

    def _watch(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while not self.server.stopped.wait(PAUSE) and not self.server.refuses:
            self.server.changes += 1
            number = self.server.changes * 7919 % self.server.count
            row = self.server.row(number, version=self.server.count + self.server.changes, status="Pending")
            line = json.dumps({"type": "MODIFIED", "object": self.server.table([row])}).encode() + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        self.wfile.write(b"0\r\n\r\n")

    def _answer(self, answer: Any, status: int = 200) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.server.warning:
            self.send_header("Warning", f'299 - "{self.server.warning}"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its parent's name
        """Nobody reads it."""

    def handle(self) -> None:
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            return  # who watched has seen enough


@contextmanager
def many_rows(count: int) -> Iterator[ManyRows]:
    server = ManyRows(count)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.stopped.set()
        server.shutdown()
        thread.join()
        server.server_close()
