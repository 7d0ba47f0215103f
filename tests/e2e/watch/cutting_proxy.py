"""A TCP proxy between a client and a server whose connections can be cut at any time."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class CuttingProxy:
    def __init__(self, host: str, port: int, *, at: int = 0) -> None:
        """`at` is the port to listen on, such as that of one which was closed; 0 is any that is free."""
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", at))
        self.port: int = self._listener.getsockname()[1]
        self.accepted = 0
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()

    def serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._target)
            with self._lock:
                self.accepted += 1
                self._open += [client, server]
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=_pump, args=(one, other), daemon=True).start()

    def cut(self) -> None:
        """Every connection that there is, in the middle of whatever it is saying."""
        with self._lock:
            cut, self._open = self._open, []
        for one in cut:
            _shut(one)

    def close(self) -> None:
        _shut(self._listener)
        self.cut()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(4096):
            target.sendall(data)
    _shut(source)
    _shut(target)


def _shut(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()


@contextmanager
def cutting_proxy(host: str, port: int, *, at: int = 0) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(host, port, at=at)
    thread = threading.Thread(target=proxy.serve, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join(5)
