"""`kctl up` as a process: how long until it was ready, and which processes it is."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from localplane.apiserver.storage.etcd.program.binary import EtcdUnusable, find_etcd

_TREE = Path(__file__).resolve().parents[2]
_KCTL = (sys.executable, "-m", "kctl")
_READY = "Ready in "


@dataclass(frozen=True, slots=True)
class RunningPlane:
    """`ready_after` is in seconds, from before the process was made until /readyz said yes; `told` is what the command
    itself said."""

    pid: int
    store_pid: int | None
    ready_after: float
    told: float


@contextmanager
def running_plane(home: Path, *arguments: str) -> Iterator[RunningPlane]:
    """Stopped as a user stops it, who presses Ctrl-C. All that it keeps is under `home`."""
    environ = _environment(home)
    begun = time.perf_counter()
    process = subprocess.Popen(
        [*_KCTL, "up", "--port", "0", *arguments],
        cwd=_TREE,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = _until_ready(iter(process.stdout.readline, ""))
        _ask_readyz(said)
        ready_after = time.perf_counter() - begun
        yield RunningPlane(process.pid, _store_pid(environ), ready_after, _told(said[-1]))
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def _until_ready(lines: Iterator[str]) -> list[str]:
    said = []
    for line in lines:
        said.append(line)
        if line.startswith(_READY):
            return said
    raise RuntimeError(f"kctl up ended before it was ready: {''.join(said)}")


def _ask_readyz(said: Sequence[str]) -> None:
    """Health is everybody's to see, so neither side needs to know the other."""
    found = re.search(r"https://([^:\s]+):(\d+)", "".join(said))
    assert found is not None, said
    context = ssl._create_unverified_context()
    connection = http.client.HTTPSConnection(found[1], int(found[2]), context=context, timeout=30)
    connection.request("GET", "/readyz")
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (200, b"ok")
    connection.close()


def _told(line: str) -> float:
    return float(line.removeprefix(_READY).split(maxsplit=1)[0]) / 1e3


def _store_pid(environ: dict[str, str]) -> int | None:
    """None for a store that is no process."""
    status = (*_KCTL, "status", "--name", "default", "-o", "json")
    told = subprocess.run(status, cwd=_TREE, env=environ, check=True, capture_output=True)
    pid: int | None = json.loads(told.stdout)["pids"].get("etcd")
    return pid


def _environment(home: Path) -> dict[str, str]:
    """An installed package is compiled, so that ours may be compiled too, wherever it is forbidden otherwise."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with suppress(EtcdUnusable):  # the new home has none
        kept["KCTL_ETCD"] = str(find_etcd().path)
    return {**kept, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "KUBECONFIG": str(home / "config")}
