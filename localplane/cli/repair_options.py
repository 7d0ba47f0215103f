"""What `kctl etcd repair` was asked for. `kctl etcd path` knows the flags by it, so it imports next to nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from localplane.apiserver.server.flags import Flag, Only, listed
from localplane.compose.options import StorageOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOptions:
    """The etcd of a plane, by the plane's name or its data directory, or one that others run. `storage` is how to reach
    that one."""

    name: Annotated[str | None, Flag("--name", "The plane whose etcd it is. Default: default", shows_default=False)] = (
        None
    )
    data_dir: Annotated[
        Path | None,
        Flag("--data-dir", "Where that plane keeps its data, if not where planes usually do.", metavar="DIR"),
    ] = None
    etcd: Annotated[Path | None, Flag("--etcd", "The etcd binary to run for a plane that is down.", metavar="PATH")] = (
        None
    )
    etcd_servers: Annotated[
        tuple[str, ...],
        Flag(
            "--etcd-servers",
            "All members of the etcd cluster to repair.",
            metavar="URL,...",
            words=str,
            read=listed,
            shows_default=False,
        ),
    ] = ()
    storage: Annotated[
        StorageOptions, Only(("etcd_cafile", "etcd_certfile", "etcd_keyfile", "etcd_user", "etcd_password_file"))
    ] = field(default_factory=StorageOptions)
