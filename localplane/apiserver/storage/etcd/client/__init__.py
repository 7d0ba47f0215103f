"""A thin asyncio client for etcd's v3 API: gRPC over an HTTP/2 connection of our own.

`EtcdClient` is the only door; `backend`, `watch` and `leases` one folder up call it, the composition root builds it.
Below it, in the order a call meets them: `methods` (what can be called), `messages` (protobuf classes), `endpoints`
(where to), `connection` with `outbox` and `streams` (HTTP/2 out), `reader`, `frames` and `headers` (HTTP/2 in), and
`timers`. In `failures` anything that goes wrong down there becomes a storage error.

It never sends a write twice that a peer may have looked at, never hangs on a peer that is gone, and knows nothing of
Kubernetes.
"""

from __future__ import annotations

from .client import EtcdClient, EtcdUser
from .endpoints import EtcdTLSFiles
from .timers import KeepAliveTimes

__all__ = ["EtcdClient", "EtcdTLSFiles", "EtcdUser", "KeepAliveTimes"]
