"""What kctl sends to a server that is not ours: paths, queries and headers are kubectl's."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.e2e.conftest import Kctl

TABLE = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)
PODS = {
    "resource": "pods",
    "responseKind": {"group": "", "version": "v1", "kind": "Pod"},
    "scope": "Namespaced",
    "singularResource": "pod",
    "verbs": ["get", "list", "watch"],
    "shortNames": ["po"],
}
DISCOVERED: dict[str, Any] = {
    "/api": {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "items": [{"metadata": {}, "versions": [{"version": "v1", "resources": [PODS]}]}],
    },
    "/apis": {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": []},
}
LEGACY: dict[str, Any] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList",
        "groupVersion": "v1",
        "resources": [{"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["list"]}],
    },
}
PAGE = {
    "kind": "Table",
    "apiVersion": "meta.k8s.io/v1",
    "metadata": {"resourceVersion": "7"},
    "columnDefinitions": [{"name": "Name", "type": "string", "format": "name"}],
    "rows": [{"cells": ["web"], "object": {"metadata": {"name": "web"}}}],
}


class Recording(ThreadingHTTPServer):
    def __init__(self, discovery: dict[str, Any]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.discovery = discovery
        self.seen: list[tuple[str, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Recording
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.seen.append((self.path, dict(self.headers.items())))
        path = self.path.partition("?")[0]
        body = json.dumps(self.server.discovery.get(path, PAGE)).encode()
        self.send_response(200)
        aggregated = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" if b"APIGroupDiscovery" in body else ""
        self.send_header("Content-Type", f"application/json{aggregated}")
        self.send_header("Content-Length", str(len(body)))
        if path not in self.server.discovery:
            self.send_header("Warning", '299 - "mind the gap"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its parent's name
        """Nobody reads it."""


@contextmanager
def serving(discovery: dict[str, Any]) -> Iterator[Recording]:
    with Recording(discovery) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_a_list_is_asked_for_as_kubectl_asks(run_kctl: Kctl) -> None:
    with serving(DISCOVERED) as server:
        done = run_kctl("get", "po", "-l", "a=b,c", "--server", server.url)
        again = run_kctl("get", "pods", "--chunk-size=0", "-n", "x", "-o", "json", "-s", server.url)
    assert (done.stdout, done.stderr) == ("NAME\nweb\n", "Warning: mind the gap\n")
    assert again.code == 0
    asked = [path for path, _ in server.seen]
    assert asked == [
        "/api?timeout=32s",
        "/apis?timeout=32s",
        "/api/v1/namespaces/default/pods?labelSelector=a%3Db%2Cc&limit=500",
        "/api/v1/namespaces/x/pods",  # the types are known by now
    ]
    headers = server.seen[2][1]
    assert headers["Accept"] == TABLE
    assert headers["User-Agent"].startswith("kctl/v")
    assert headers["Kubectl-Command"] == "kctl get"
    assert len(headers["Kubectl-Session"]) == 36
    assert headers["Accept-Encoding"] == "gzip"
    assert server.seen[3][1]["Accept"] == "application/json"


@pytest.mark.parametrize(
    ("flags", "header", "value"),
    [
        (("--as", "jane"), "Impersonate-User", "jane"),
        (("--as", "jane", "--as-group", "g"), "Impersonate-Group", "g"),
        (("--as", "jane", "--as-uid", "7"), "Impersonate-Uid", "7"),
        (("--as", "jane", "--as-user-extra", "k=v"), "Impersonate-Extra-k", "v"),
        (("--disable-compression",), "Accept-Encoding", "identity"),
    ],
)
def test_a_global_flag_is_sent(flags: tuple[str, ...], header: str, value: str, run_kctl: Kctl) -> None:
    with serving(DISCOVERED) as server:
        assert run_kctl(*flags, "get", "po", "-s", server.url).code == 0
    assert {key.lower(): one for key, one in server.seen[-1][1].items()}[header.lower()] == value


def test_a_server_without_aggregated_discovery_is_asked_version_by_version(run_kctl: Kctl) -> None:
    with serving(LEGACY) as server:
        done = run_kctl("get", "pods", "-s", server.url)
    assert done.stdout == "NAME\nweb\n"
    assert "/api/v1" in [path for path, _ in server.seen]


def test_warnings_can_be_errors(run_kctl: Kctl) -> None:
    with serving(DISCOVERED) as server:
        done = run_kctl("get", "pods", "--warnings-as-errors", "-s", server.url)
    assert (done.code, done.stderr) == (1, "Warning: mind the gap\nerror: 1 warning received\n")


def test_nobody_there_is_said_in_kubectls_words(run_kctl: Kctl) -> None:
    done = run_kctl("get", "pods", "-s", "http://127.0.0.1:1")
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr == (
        "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n"
    )


def test_a_timeout_that_is_none_is_refused(run_kctl: Kctl) -> None:
    assert run_kctl("get", "pods", "--request-timeout=abc").stderr.startswith("error: Invalid timeout value.")


def test_a_proxy_is_asked_for_a_tunnel(run_kctl: Kctl) -> None:
    with serving(DISCOVERED) as server, tunnelling() as proxy:
        done = run_kctl("get", "po", "-s", server.url, "--proxy-url", proxy.url)
    assert done.stdout == "NAME\nweb\n"
    assert proxy.asked == [server.url.removeprefix("http://")]


class Tunnel(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), TunnelHandler)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class TunnelHandler(BaseHTTPRequestHandler):
    server: Tunnel

    def do_CONNECT(self) -> None:
        self.server.asked.append(self.path)
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port))) as beyond:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=_pump, args=(beyond, self.connection), daemon=True)
            back.start()
            _pump(self.connection, beyond)
            back.join(5)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its parent's name
        """Nobody reads it."""


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def tunnelling() -> Iterator[Tunnel]:
    with Tunnel() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
