"""Starting and stopping the server that is measured, and finding the way to it."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from localplane.library import StorageKind
from tests.bench.http.connection import Connection, Place, connections
from tests.bench.http.subjects import request

_TREE = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Served:
    """`ready_after` is in seconds, from before the process was made until /readyz said yes."""

    place: Place
    pid: int
    store_pid: int | None
    ready_after: float


@asynccontextmanager
async def served(
    kind: StorageKind, directory: Path, module: str = "tests.bench.http.plane", *arguments: str
) -> AsyncIterator[Served]:
    """`module` is the program that serves; it is told where, and whatever else it wants to know."""
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, kind.value, str(directory), *arguments),
        cwd=_TREE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server ended with exit code {await process.wait()} before it served")
        told = json.loads(line)
        place = _place(Path(told["kubeconfig"]))
        async with connections(place, 1, Connection) as (connection,):
            await connection.ask(request("GET", "/readyz"))
        yield Served(place, process.pid, told["store_pid"], time.perf_counter() - begun)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def _place(kubeconfig: Path) -> Place:
    """As any client finds a server. The ssl module reads keys from files only, so they lie there for a moment."""
    config = json.loads(kubeconfig.read_bytes())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    context = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
    pem = kubeconfig.with_name("bench-client.pem")
    pem.touch(mode=0o600)
    pem.write_bytes(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
    context.load_cert_chain(pem)
    pem.unlink()
    url = urlsplit(cluster["server"])
    assert url.hostname is not None
    assert url.port is not None
    return Place(url.hostname, url.port, context)
