"""A release host on loopback, etcds that are shell scripts, and what is left on disk."""

from __future__ import annotations

import io
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

VERSION = "3.5.99"
PLATFORM = "linux-amd64"
STEM = f"etcd-v{VERSION}-{PLATFORM}"


@dataclass
class ReleaseHost:
    """`files` is what it has, by path; `kept_back` is how many bytes at the end of each it never sends."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    kept_back: int = 0
    requests: list[str] = field(default_factory=list)

    def offer(self, archive: bytes) -> None:
        self.files[f"/v{VERSION}/{STEM}.tar.gz"] = archive


@dataclass
class Notes:
    """A reporter that remembers."""

    sentences: list[str] = field(default_factory=list)
    received: list[tuple[int, int | None]] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def progress(self, received: int, total: int | None) -> None:
        self.received.append((received, total))


@contextmanager
def running_release_host() -> Iterator[ReleaseHost]:
    host = ReleaseHost()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host.requests.append(self.path)
            found = host.files.get(self.path)
            body = found or b""
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) - host.kept_back])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    host.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def etcd_script(version: str) -> bytes:
    return f'#!/bin/sh\necho "etcd Version: {version}"\necho "Git SHA: GitNotFound"\n'.encode()


def tar_gz(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def files_in(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir())
