"""How much, and for how long, a client may keep us busy before it has asked for anything."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """The defaults are Kubernetes' (server/secure_serving.go), but for the head, of which it takes a megabyte.

    `head_bytes` are the request line and all headers, `field_bytes` a single header. A client for whom an answer waits
    reads `least_progress_bytes` within `stalled`, or it is cut.
    """

    head_bytes: int = 64 * 1024
    field_bytes: int = 16 * 1024
    head_fields: int = 2000
    head_timeout: timedelta = timedelta(seconds=32)
    idle_timeout: timedelta = timedelta(seconds=90)
    stalled: timedelta = timedelta(seconds=30)
    least_progress_bytes: int = 512 * 1024
    write_buffer_bytes: int = 256 * 1024
    gzip_above_bytes: int = 128 * 1024
