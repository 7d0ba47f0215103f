"""An `etcd` that is none: it answers whoever waits for etcd, and tells our kube-apiserver where the data is kept.

A suite starts etcd, waits for its /health, and hands its address to kube-apiserver. The stand-in takes etcd's place in
that: it stores nothing, and the server keeps its objects in SQLite, in a folder of etcd's data directory, or in its own
memory. Only the standard library, and little of it: it has to be there at once.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import sys
from collections.abc import Sequence

from localplane.apimachinery.light_typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from localplane.compose.options import StorageOptions

WHERE: Final = "/localplane/storage"
"""The path at which it tells."""

_LONGEST_REQUEST: Final = 65536
_SWITCHES: Final = frozenset({"force-new-cluster", "pre-vote", "strict-reconfig-check", "unsafe-no-fsync"})
_NO_EFFECT: Final = _SWITCHES | frozenset(
    {
        "advertise-client-urls",
        "auto-compaction-mode",
        "auto-compaction-retention",
        "election-timeout",
        "heartbeat-interval",
        "initial-advertise-peer-urls",
        "initial-cluster",
        "initial-cluster-state",
        "initial-cluster-token",
        "listen-metrics-urls",
        "listen-peer-urls",
        "log-format",
        "log-level",
        "log-outputs",
        "logger",
        "max-request-bytes",
        "max-txn-ops",
        "name",
        "quota-backend-bytes",
        "snapshot-count",
        "wal-dir",
    }
)
_HELP: Final = """\
A stand-in for etcd, for test suites that start one for a kube-apiserver: `kctl envtest --embedded` has put it here. It
stores nothing itself: the kube-apiserver beside it keeps its objects in {where}.

Usage:
  etcd [flags]

Flags:
  --data-dir 'default.etcd'                        Where data may be kept.
  --listen-client-urls 'http://localhost:2379'     Where to listen: http, and the first one counts.
  --version                                        Print the version, and leave.

Other flags of etcd are taken and have no effect.
"""


class NotUsable(Exception):
    """A sentence about a flag."""


class _Words(NamedTuple):
    data_dir: str
    host: str
    port: int


def main(arguments: Sequence[str], *, kind: str) -> int:
    """`kind` is where objects are to be kept: sqlite or memory."""
    if "--version" in arguments or "-version" in arguments:
        sys.stdout.write("etcd Version: 0.0.0-embedded\nA stand-in: objects are kept by kube-apiserver itself.\n")
        return 0
    if {"-h", "--help", "-help"} & set(arguments):
        sys.stdout.write(_HELP.format(where="SQLite" if kind == "sqlite" else "memory"))
        return 0
    try:
        words = _read(arguments)
        listening = _listen(words)
        os.makedirs(words.data_dir, mode=0o700, exist_ok=True)  # noqa: PTH103 - pathlib takes longer than the start
    except (NotUsable, OSError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return 1
    told = {"kind": kind, "directory": os.path.join(os.path.abspath(words.data_dir), "localplane")}  # noqa: PTH100, PTH118
    _serve(listening, json.dumps(told).encode())
    return 0


def _read(arguments: Sequence[str]) -> _Words:
    """As Go's flag package: one dash or two, `=` or the next word."""
    said = {"data-dir": "default.etcd", "listen-client-urls": "http://localhost:2379"}
    waiting = list(reversed(arguments))
    while waiting:
        argument = waiting.pop()
        name, separator, value = argument.lstrip("-").partition("=")
        if not argument.startswith("-") or (name not in said and name not in _NO_EFFECT):
            raise NotUsable(f"flag provided but not defined: -{name}")
        if not separator and name not in _SWITCHES:
            if not waiting:
                raise NotUsable(f"flag needs an argument: -{name}")
            value = waiting.pop()
        if name in said:
            said[name] = value
    url = said["listen-client-urls"].split(",")[0]
    host, _, port = url.removeprefix("http://").rstrip("/").rpartition(":")
    if not url.startswith("http://") or not port.isdigit():
        raise NotUsable(f"--listen-client-urls {url} can't be used by a stand-in: it listens at http://HOST:PORT")
    return _Words(said["data-dir"], host.strip("[]"), int(port))


def _listen(words: _Words) -> socket.socket:
    host = "127.0.0.1" if words.host == "localhost" else words.host
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, words.port))
    except OSError as error:
        raise NotUsable(f"listen tcp {words.host}:{words.port}: bind: {(error.strerror or '').lower()}") from error
    listening.listen(128)
    listening.settimeout(0)
    return listening


def _serve(listening: socket.socket, told: bytes) -> None:
    """Until SIGTERM. One question for each connection; who is slow waits for nobody, and nobody for him."""
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    with selectors.DefaultSelector() as selector:
        selector.register(listening, selectors.EVENT_READ)
        heads: dict[socket.socket, bytes] = {}
        while True:
            for key, _ in selector.select():
                connection = key.fileobj
                assert isinstance(connection, socket.socket), "nothing else is registered"
                if connection is listening:
                    accepted, _ = listening.accept()
                    accepted.settimeout(1)
                    selector.register(accepted, selectors.EVENT_READ)
                    heads[accepted] = b""
                elif _has_asked(connection, heads):
                    selector.unregister(connection)
                    _answer(connection, heads.pop(connection), told)


def _has_asked(connection: socket.socket, heads: dict[socket.socket, bytes]) -> bool:
    """Or has gone, or never stops."""
    try:
        received = connection.recv(_LONGEST_REQUEST)
    except OSError:
        received = b""
    heads[connection] += received
    return not received or b"\r\n\r\n" in heads[connection] or len(heads[connection]) > _LONGEST_REQUEST


def _answer(connection: socket.socket, head: bytes, told: bytes) -> None:
    path = head.split(b" ", 2)[1].split(b"?")[0].decode("latin-1") if head.count(b" ") >= 2 else ""
    body = {"/health": b'{"health":"true","reason":""}', "/readyz": b"ok", "/livez": b"ok", WHERE: told}.get(path)
    status = b"200 OK" if body is not None else b"404 Not Found"
    body = body or b"404 page not found\n"
    lines = [b"HTTP/1.1 " + status, b"Content-Type: application/json", b"Content-Length: %d" % len(body)]
    try:
        connection.sendall(b"\r\n".join([*lines, b"Connection: close", b"", body]))
    except OSError:
        pass  # who has gone does not mind
    finally:
        connection.close()


def storage_behind(options: StorageOptions) -> StorageOptions:
    """The storage that the stand-in tells of. Raises InvalidOptions."""
    from dataclasses import replace
    from http.client import HTTPConnection, HTTPException
    from pathlib import Path

    from localplane.apiserver.server.options import InvalidOptions
    from localplane.compose.options import StorageKind

    url = options.etcd_servers[0]
    try:
        connection = HTTPConnection(url.removeprefix("http://").rstrip("/"), timeout=10)
        connection.request("GET", WHERE)
        told = json.loads(connection.getresponse().read())
        kind, directory = StorageKind(told["kind"]), Path(told["directory"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        beside = "this kube-apiserver goes with the etcd beside it, both made by `kctl envtest --embedded`"
        raise InvalidOptions([f"--etcd-servers {url} is no stand-in for etcd: {beside}"]) from error
    return replace(options, etcd_servers=(), kind=kind, data_dir=directory if kind is StorageKind.SQLITE else None)
