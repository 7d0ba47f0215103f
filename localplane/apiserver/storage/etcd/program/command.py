"""What exactly is run: etcd's command line and its environment."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .faults import EtcdFailed, EtcdFault, FaultCause
from .socket_directory import CLIENT_SOCKET

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .parent_death import ParentDeath

# All that etcd gets of our environment. Left out on purpose: ETCD_* (each is a flag), NOTIFY_SOCKET (etcd would tell
# systemd that *we* are ready), and whatever secrets the user's shell holds.
_KEPT_VARIABLES = (
    *("PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    *("GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GODEBUG"),
)


@dataclass(frozen=True, slots=True)
class EtcdCommand:
    """What to run, and where."""

    binary: Path
    data: Path
    sockets: Path
    quota_backend_bytes: int | None = None
    snapshot_count: int = 5000
    parent_death: ParentDeath | None = None

    def argv(self) -> list[str]:
        """etcd's command line: no TCP port at all, and ready in 75 ms.

        The peer socket is named relative to the working directory, and that is not a matter of taste: given an
        absolute path etcd listens on an abstract socket, which every user of the machine can connect to.
        The advertised addresses only have to look like some; a single member never calls itself.
        """
        arguments = {
            "name": "localplane",
            "data-dir": str(self.data),
            "listen-client-urls": f"unix://{self.sockets / CLIENT_SOCKET}",
            "advertise-client-urls": "unix://client:0",
            "listen-peer-urls": "unix://peer.sock:0",
            "initial-advertise-peer-urls": "unix://peer:0",
            "initial-cluster": "localplane=unix://peer:0",
            # Read once, when the data is made: it gives every data directory a cluster id of its own.
            "initial-cluster-token": secrets.token_hex(16),
            "enable-grpc-gateway": "false",
            # A single member waits for nobody's vote but its own; it also never loses it.
            "heartbeat-interval": "10",
            "election-timeout": "100",
            "snapshot-count": str(self.snapshot_count),
            "log-level": "warn",
            "log-outputs": "stderr",
        }
        if self.quota_backend_bytes is not None:
            arguments["quota-backend-bytes"] = str(self.quota_backend_bytes)
        return [str(self.binary), *(f"--{name}={value}" for name, value in arguments.items())]


def environment(ours: Mapping[str, str]) -> dict[str, str]:
    """The part of our environment that etcd may see."""
    return {name: ours[name] for name in _KEPT_VARIABLES if name in ours}


def refuse_unless_program(binary: Path) -> None:
    """The mistakes of a path, told before anything is started."""
    if not binary.exists():
        why = "does not exist"
    elif not binary.is_file():
        why = "is not a file"
    elif not os.access(binary, os.X_OK):
        why = "is not executable"
    else:
        return
    raise EtcdFailed(
        EtcdFault(
            FaultCause.UNSUITABLE_BINARY,
            f"etcd binary {binary} {why}: run `kctl etcd install`, or name another with --etcd PATH",
        )
    )
