"""Asking a plane over its own socket, without an HTTP library: `kctl status` must not take longer than it has to."""

from __future__ import annotations

import socket
from dataclasses import dataclass

_ANSWER_WITHIN = 3.0


@dataclass(frozen=True, slots=True)
class SocketAnswer:
    """`good` if it was answered with 200."""

    good: bool
    body: str


def ask(path: str, question: str, *, method: str = "GET", within: float = _ANSWER_WITHIN) -> SocketAnswer:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(within)
            connection.connect(path)
            connection.sendall(f"{method} {question} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
    except OSError as error:
        return SocketAnswer(good=False, body=f"[-]socket: {error}")
    head, _, body = answer.partition(b"\r\n\r\n")
    return SocketAnswer(good=head.split(b" ")[1:2] == [b"200"], body=body.decode("utf-8", "replace"))
