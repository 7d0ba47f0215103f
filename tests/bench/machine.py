"""Where the figures were taken."""

from __future__ import annotations

import os
import platform
import sqlite3
from importlib.metadata import version
from pathlib import Path

from localplane.apiserver.storage.etcd.program.binary import find_etcd
from localplane.apiserver.storage.objects import encode
from tests.bench.subjects import config_map


def facts(directory: Path, *, needs_etcd: bool = True) -> dict[str, str]:
    """For people; raises EtcdUnusable when there is no etcd to measure."""
    one, five, fifteen = os.getloadavg()
    return {
        "processor": f"{_cores()} cores, {_model()}",
        "system": platform.platform(),
        "load before": f"{one:.2f} {five:.2f} {fifteen:.2f}",
        "Python": f"{platform.python_version()} with uvloop {version('uvloop')}, orjson {version('orjson')}",
        "stores": f"{_etcd() if needs_etcd else ''}sqlite {sqlite3.sqlite_version}",
        "data": f"{directory.parent} on {_file_system(directory)}",
        "object": f"{len(encode(config_map('load-0-000-000000')))} bytes",
    }


def _etcd() -> str:
    return f"etcd {find_etcd().version}, "


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def _file_system(directory: Path) -> str:
    """The type of the file system that holds a directory, since that is what a sync costs."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return "an unknown file system"
    holding = [mount for mount in mounts if directory.resolve().is_relative_to(mount[1])]
    return max(holding, key=lambda mount: len(mount[1]))[2] if holding else "an unknown file system"
