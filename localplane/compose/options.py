"""What may be said about a cluster: plain data in a tree, whose fields carry their flags. Nothing heavy is imported
with it, so a command can read its flags before it knows whether it needs a server.

    ClusterOptions        the parts: controllers, admission plugins, nodes
      server              `apiserver/server/options`: addresses, TLS, who is let in
      storage             which store, and where

`cli.options.UpOptions` and `server.PlaneOptions` hold these; a new flag is one field here, with its Flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from localplane.apimachinery.quantity import parse
from localplane.apiserver.server.flags import Flag, LibraryFlag, between, listed
from localplane.apiserver.server.options import ServerOptions
from localplane.apiserver.storage.keys import DEFAULT_ROOT

ETCD_PASSWORD: Final = "KCTL_ETCD_PASSWORD"  # noqa: S105 - the name of a variable
_SMALLEST_QUOTA_BYTES: Final = 4 << 20


class StorageKind(StrEnum):
    ETCD = "etcd"
    SQLITE = "sqlite"
    MEMORY = "memory"


def _bytes(text: str) -> int:
    """A quantity as Kubernetes writes them, or a plain number."""
    return parse(text).value()


def _prefix(text: str) -> str:
    return "/" + text.strip("/")


def _is_no_quota(number: int | None) -> str:
    if number is None or number >= _SMALLEST_QUOTA_BYTES:
        return ""
    return f" must be at least {_SMALLEST_QUOTA_BYTES >> 20}Mi: a new plane needs some"


@dataclass(frozen=True, slots=True)
class StorageOptions:
    """`kind` None: what the data directory already holds, else etcd where a fit one is found, else SQLite.

    With `etcd_servers` an existing cluster is used, and the data directory, if there is one, holds keys alone. It may
    ask for a user, whose password is in `etcd_password_file` or in the variable KCTL_ETCD_PASSWORD. `etcd_timeout` is
    how long any etcd may take to answer a call, and `etcd_connect_timeout` a member to accept a connection.
    """

    kind: Annotated[
        StorageKind | None,
        Flag(
            "--storage",
            "What it stores in. Default: etcd when a fit one is found, else sqlite; memory forgets everything.",
            metavar="etcd|sqlite|memory",
            words=str,
            read=StorageKind,
            refusal='there is no --storage "{text}": it is one of etcd, sqlite, memory',
            shows_default=False,
        ),
        LibraryFlag(
            "--storage",
            "default: etcd when a fit one is found, else sqlite; memory forgets everything",
            metavar="{etcd,sqlite,memory}",
            read=StorageKind,
            before="--requestheader-client-ca-file",
        ),
    ] = None
    data_dir: Annotated[
        Path | None,
        Flag(
            "--data-dir",
            "Where the data is kept; with --etcd-servers its keys. Default: $XDG_STATE_HOME/kctl/NAME.",
            metavar="DIR",
            shows_default=False,
        ),
        LibraryFlag(
            "--data-dir",
            "where the data is kept; default: $XDG_STATE_HOME/kctl/NAME, NAME being this server's",
            metavar="PATH",
            before="--storage",
        ),
    ] = None
    etcd_path: Annotated[
        Path | None,
        Flag("--etcd", "The etcd binary to run. Also: KCTL_ETCD.", metavar="PATH"),
        LibraryFlag(
            "--etcd", "the etcd to run; also: KCTL_ETCD", metavar="PATH", before="--requestheader-client-ca-file"
        ),
    ] = None
    allow_unsafe_etcd: Annotated[
        bool, Flag("--allow-unsafe-etcd", "Accept an etcd below 3.5.16, versions of which lose data.")
    ] = False
    etcd_servers: Annotated[
        tuple[str, ...],
        Flag(
            "--etcd-servers",
            "Use this etcd cluster instead of running an etcd. One plane for each --etcd-prefix.",
            metavar="URL,...",
            words=str,
            read=listed,
            shows_default=False,
        ),
    ] = ()
    etcd_cafile: Annotated[
        Path | None, Flag("--etcd-cafile", "CA that signed the cluster's certificates.", metavar="FILE")
    ] = None
    etcd_certfile: Annotated[
        Path | None, Flag("--etcd-certfile", "Our certificate for the cluster.", metavar="FILE")
    ] = None
    etcd_keyfile: Annotated[Path | None, Flag("--etcd-keyfile", "The key of that certificate.", metavar="FILE")] = None
    etcd_user: Annotated[str, Flag("--etcd-user", "Our name, where the cluster asks for users.", metavar="NAME")] = ""
    etcd_password_file: Annotated[
        Path | None,
        Flag(
            "--etcd-password-file",
            f"Holds the password of --etcd-user. Also: the password itself in {ETCD_PASSWORD}.",
            metavar="FILE",
        ),
    ] = None
    etcd_timeout: timedelta = timedelta(seconds=10)
    etcd_connect_timeout: timedelta = timedelta(seconds=1.5)
    etcd_prefix: Annotated[
        str,
        Flag("--etcd-prefix", "Prefix of all keys in the store.", read=_prefix),
    ] = DEFAULT_ROOT
    etcd_quota_bytes: Annotated[
        int | None,
        Flag(
            "--etcd-quota-backend-bytes",
            "How large the database of the etcd that it runs may become. Default: 8Gi.",
            metavar="QUANTITY",
            words=str,
            read=_bytes,
            check=_is_no_quota,
            shows_default=False,
        ),
    ] = None
    accept_data_loss: Annotated[
        bool, Flag("--accept-data-loss", "Start although the data is older than it was, or not the same.")
    ] = False
    compaction_interval: timedelta = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """`controllers` is kube-controller-manager's flag: names, `*` for all, `-name` for one less; `none` is none at all.
    The plugins are kube-apiserver's flags. `nodes` is how many nodes are simulated: without one there is no scheduler
    either, and nobody says otherwise where there are no controllers. `seed` makes the simulation, and the scheduler's
    choice among equals, the same each time."""

    name: str = "default"
    server: ServerOptions = field(default_factory=ServerOptions)
    storage: StorageOptions = field(default_factory=StorageOptions)
    controllers: Annotated[
        Sequence[str],
        Flag(
            "--controllers",
            "Controllers to run, as kube-controller-manager has it: '*' all, 'a' also a, '-a' not a; 'none'. "
            "Default: *",
            metavar="LIST",
            read=listed,
            shows_default=False,
        ),
    ] = ("*",)
    enabled_admission_plugins: Annotated[
        Sequence[str],
        Flag(
            "--enable-admission-plugins",
            "Plugins to use beside the usual ones.",
            metavar="LIST",
            read=listed,
            shows_default=False,
        ),
    ] = ()
    disabled_admission_plugins: Annotated[
        Sequence[str],
        Flag("--disable-admission-plugins", "Plugins to leave out.", metavar="LIST", read=listed, shows_default=False),
    ] = ()
    nodes: Annotated[
        int | None,
        Flag(
            "--nodes",
            "How many nodes to simulate, which is where pods run. With 0 there is no scheduler either. "
            "Default: 1, or 0 with --controllers none.",
            metavar="N",
            check=between(0, 5_000),
            shows_default=False,
        ),
    ] = None
    seed: Annotated[
        int | None,
        Flag(
            "--seed",
            "Let simulated nodes and the scheduler choose the same each time.",
            metavar="N",
            shows_default=False,
        ),
    ] = None
    service_cluster_ip_range: str = "10.0.0.0/24"

    @property
    def simulated_nodes(self) -> int:
        return self.nodes if self.nodes is not None else int(tuple(self.controllers) != ("none",))

    @property
    def names_parts(self) -> bool:
        """Somebody has chosen controllers or plugins, and may have misspelled one."""
        plugins = (*self.enabled_admission_plugins, *self.disabled_admission_plugins)
        return bool(plugins) or tuple(self.controllers) != ("*",)
