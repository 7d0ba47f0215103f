"""How much, and for how long, a client may keep us busy before it has asked for anything."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The defaults are Kubernetes' (server/secure_serving.go), where it has one.

    A head may be larger than `head_bytes` by what one read from the socket brings. `stalled` is how long a client may
    read nothing at all while an answer waits for it.
    """

    head_bytes: int = 1 << 20
    head_fields: int = 2000
    head_timeout: timedelta = timedelta(seconds=32)
    idle_timeout: timedelta = timedelta(seconds=90)
    stalled: timedelta = timedelta(seconds=30)
    write_buffer_bytes: int = 256 * 1024
    gzip_above_bytes: int = 128 * 1024
