"""What can be killed and stopped: `kctl up` as a process, and an etcd that it is told to use."""

from __future__ import annotations

import asyncio
import base64
import signal
import ssl
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from localplane.apimachinery.serializers.yaml import parse_yaml
from tests.faults.history import NEVER
from tests.faults.hosts import HostFailed
from tests.faults.plane.connection import Place

_ROOT = Path(__file__).parents[3]
_READY_WITHIN = 60.0
_STOPS_WITHIN = 20.0
_NAME = "faults"


class PlaneProcess:
    """One plane, through all its lives. `up` is set while it answers, `since` is when it last began to, and the end of
    time while nobody knows."""

    def __init__(self, directory: Path, port: int, arguments: Sequence[str], environ: Mapping[str, str]) -> None:
        self.up = asyncio.Event()
        self.since = NEVER
        self.port = port
        self._kubeconfig = directory / "kubeconfig"
        self._log = directory / "plane.log"
        self._arguments = ["--name", _NAME, "--port", str(port), "--kubeconfig", str(self._kubeconfig), *arguments]
        own = {"HOME": str(directory), "XDG_STATE_HOME": str(directory / "state"), "PYTHONPATH": str(_ROOT)}
        self._environ = {**environ, **own}
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Return when it says that it is ready."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "kctl", "up", *self._arguments),
            cwd=self._kubeconfig.parent,
            env=self._environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        ready = asyncio.Event()
        self._reading = asyncio.create_task(self._read(self._process, ready))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({waiting, self._reading}, timeout=_READY_WITHIN, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if not ready.is_set():
            await self.kill()
            raise HostFailed(f"the plane did not start: {self.last_words()}")
        self.since = time.monotonic()
        self.up.set()

    async def _read(self, process: asyncio.subprocess.Process, ready: asyncio.Event) -> None:
        """Into the log, to the end: a pipe that nobody reads would stop it."""
        assert process.stdout is not None
        with self._log.open("ab") as log:
            while line := await process.stdout.readline():
                log.write(line)
                log.flush()
                if line.startswith(b"Ready in "):
                    ready.set()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def etcd_pid(self) -> int | None:
        """The etcd that it supervises; None while there is none."""
        with suppress(OSError):
            for child in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split():
                if Path(f"/proc/{child}/comm").read_text() == "etcd\n":
                    return int(child)
        return None

    @property
    def etcd_socket(self) -> str | None:
        """Where that etcd is met, as it was told itself."""
        with suppress(OSError):
            for argument in Path(f"/proc/{self.etcd_pid}/cmdline").read_bytes().decode().split("\0"):
                if argument.startswith("--listen-client-urls="):
                    return argument.partition("=")[2]
        return None

    def place(self, port: int) -> Place:
        """What a client needs to know to come in at a port; another one after a restart without kept keys."""
        config = parse_yaml(self._kubeconfig.read_bytes()).value
        authority = base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]).decode()
        tls = ssl.create_default_context(cadata=authority)
        return Place("127.0.0.1", port, tls, config["users"][0]["user"]["token"])

    async def kill(self) -> None:
        """SIGKILL, and wait until the kernel has done it."""
        self.up.clear()
        self.since = NEVER
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        if self._reading is not None:
            await self._reading

    async def stop(self) -> None:
        """As Ctrl-C does, and expect it to end well."""
        self.up.clear()
        process = self._process
        assert process is not None
        process.send_signal(signal.SIGINT)
        try:
            async with asyncio.timeout(_STOPS_WITHIN):
                code = await process.wait()
        except TimeoutError:
            await self.kill()
            raise HostFailed(f"the plane did not stop: {self.last_words()}") from None
        if code not in (0, 130):
            raise HostFailed(f"the plane ended with {code}: {self.last_words()}")

    def last_words(self) -> str:
        with suppress(FileNotFoundError):
            return self._log.read_text(errors="replace")[-2000:]
        return ""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._process is not None and self._process.returncode is None:
            await self.kill()
