"""A real etcd that a test may kill, stop and start again; all its data are in one directory."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from localplane.apiserver.storage.errors import Unavailable
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.program.binary import find_etcd

QUICK_ELECTIONS = ("--heartbeat-interval=10", "--election-timeout=100")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class EtcdServer:
    """One member. `listen` is where clients find it; `options` are etcd's own."""

    directory: Path
    listen: str
    options: tuple[str, ...] = ()
    name: str = "default"
    peer_url: str = ""
    cluster: str = ""
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        peer_url = self.peer_url or f"http://127.0.0.1:{free_port()}"
        argv = [
            str(find_etcd().path),
            f"--name={self.name}",
            f"--data-dir={self.directory / self.name}",
            f"--listen-client-urls={self.listen}",
            f"--advertise-client-urls={self.listen if self.listen.startswith('http') else 'http://localhost:2379'}",
            f"--listen-peer-urls={peer_url}",
            f"--initial-advertise-peer-urls={peer_url}",
            f"--initial-cluster={self.cluster or f'{self.name}={peer_url}'}",
            "--unsafe-no-fsync",
            "--log-level=error",
            *(self.options or QUICK_ELECTIONS),
        ]
        with (self.directory / f"{self.name}.log").open("ab") as log:
            self._process = subprocess.Popen(argv, stdout=log, stderr=log)

    def pause(self) -> None:
        """Stop it, and wait until its last thread stands still."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED)

    def resume(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


async def answering(backend: EtcdBackend) -> None:
    """Wait until the store can be read."""
    async with asyncio.timeout(30):
        while True:
            try:
                await backend.current_revision()
            except Unavailable:
                await asyncio.sleep(0.02)  # nothing tells when another process is ready
            else:
                return
