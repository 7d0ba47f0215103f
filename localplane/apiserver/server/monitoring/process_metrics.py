"""What every Prometheus client tells about its process. Linux knows all of it; elsewhere there is less."""

from __future__ import annotations

import asyncio
import os
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .exposition import Family

_STAT = Path("/proc/self/stat")
_DESCRIPTORS = Path("/proc/self/fd")


def process_families() -> Iterator[Family]:
    times = os.times()
    yield _single("process_cpu_seconds_total", "counter", "CPU time of this process.", times.user + times.system)
    with suppress(RuntimeError):  # who asks from outside an event loop is told of none
        yield _single("asyncio_tasks", "gauge", "Tasks of the event loop.", len(asyncio.all_tasks()))
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    yield _single("process_max_fds", "gauge", "How many file descriptors may be open.", most)
    if not _STAT.exists():
        return
    yield _single("process_open_fds", "gauge", "Open file descriptors.", len(os.listdir(_DESCRIPTORS)))  # noqa: PTH208 - only the number is wanted
    # The name of the program may hold spaces and brackets; what follows it does not.
    numbers = _STAT.read_text().rpartition(")")[2].split()
    yield _single("process_resident_memory_bytes", "gauge", "Memory in use.", int(numbers[21]) * resource.getpagesize())
    yield _single("process_virtual_memory_bytes", "gauge", "Memory reserved.", int(numbers[20]))
    booted = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    started = booted + int(numbers[19]) / os.sysconf("SC_CLK_TCK")
    yield _single("process_start_time_seconds", "gauge", "When this process was started.", round(started, 2))


def _single(name: str, kind: str, text: str, value: float) -> Family:
    family = Family(name, kind, text)
    family.add(value)
    return family
