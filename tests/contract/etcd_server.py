"""One etcd for a whole test run, on a unix socket in a temporary directory."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from localplane.apiserver.storage.backend import Backend
from localplane.apiserver.storage.etcd.backend import EtcdBackend
from localplane.apiserver.storage.etcd.client.client import EtcdClient
from localplane.apiserver.storage.etcd.program.binary import find_etcd
from localplane.apiserver.storage.etcd.program.command import EtcdCommand
from localplane.apiserver.storage.etcd.program.parent_death import Lifeline, ParentDeath
from localplane.apiserver.storage.etcd.program.socket_directory import CLIENT_SOCKET


@dataclass(frozen=True, slots=True)
class EtcdServer:
    socket: Path

    def backend(self) -> Backend:
        """Not exclusive, though it is: that is the harder case, in which others may have written."""
        return EtcdBackend(EtcdClient([f"unix://{self.socket}"]), exclusive=False)


@contextmanager
def running_etcd(data: Path) -> Iterator[EtcdServer]:
    """Without fsync, because nothing here has to survive; a socket's path must be short, hence its own directory."""
    with tempfile.TemporaryDirectory(prefix="contract-") as sockets:
        command = EtcdCommand(binary=find_etcd().path, data=data, sockets=Path(sockets))
        lifeline = Lifeline(ParentDeath.here(), [*command.argv(), "--unsafe-no-fsync"])
        with (data / "log").open("wb") as log:
            process = subprocess.Popen(lifeline.argv, stdin=lifeline.stdin, stdout=log, stderr=log, cwd=sockets)
        lifeline.started()
        try:
            yield EtcdServer(_listening(process, Path(sockets) / CLIENT_SOCKET, log=data / "log"))
        finally:
            process.kill()
            process.wait()
            lifeline.cut()


def _listening(process: subprocess.Popen[bytes], path: Path, *, log: Path) -> Path:
    """A socket is bound, and can be seen, before anybody listens at it."""
    for _ in range(6_000):
        with socket.socket(socket.AF_UNIX) as client:
            if client.connect_ex(str(path)) == 0:
                return path
        assert process.poll() is None, log.read_text()
        time.sleep(0.01)
    raise TimeoutError(log.read_text())
