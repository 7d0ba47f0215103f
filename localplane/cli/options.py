"""What `kctl up` was asked for: plain data, checked with sentences before anything is started."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from .errors import OptionsContradict
from .manifests.reading import STDIN
from .places import DEFAULT_NAME, places

STORES = ("etcd", "sqlite", "memory")
SMALLEST_QUOTA_BYTES = 4 << 20
DEFAULT_PORT = 6443
MOST_NODES = 5_000
ETCD_PASSWORD = "KCTL_ETCD_PASSWORD"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True, kw_only=True)
class UpOptions:
    """`port` None: 6443, or the next one that is free; a port that was named is taken or refused. `storage` empty: what
    the data directory holds, else etcd where a fit one is found, else SQLite."""

    name: str = DEFAULT_NAME
    port: int | None = None
    bind_address: str = ""
    allow_remote: bool = False
    storage: str = ""
    data_dir: Path | None = None
    ephemeral: bool = False
    etcd: Path | None = None
    allow_unsafe_etcd: bool = False
    etcd_servers: tuple[str, ...] = ()
    etcd_cafile: Path | None = None
    etcd_certfile: Path | None = None
    etcd_keyfile: Path | None = None
    etcd_user: str = ""
    etcd_password_file: Path | None = None
    etcd_prefix: str = "/registry"
    etcd_quota_backend_bytes: int | None = None
    accept_data_loss: bool = False
    filenames: tuple[str, ...] = ()
    watch: bool = False
    crds: tuple[Path, ...] = ()
    controllers: tuple[str, ...] = ("*",)
    enable_admission_plugins: tuple[str, ...] = ()
    disable_admission_plugins: tuple[str, ...] = ()
    nodes: int | None = None
    seed: int | None = None
    detach: bool = False
    wait: bool = True
    timeout: timedelta = timedelta(seconds=60)
    kubeconfig: Path | None = None
    merge_context: bool = True
    switch_context: bool = True
    verbose: bool = False

    def checked(self) -> UpOptions:
        """With absolute paths, because a detached plane leaves the directory. Raises OptionsContradict, PlaneError."""
        places(self.name)
        for problem in self._problems():
            raise OptionsContradict(problem)
        return replace(
            self,
            data_dir=self.data_dir and self.data_dir.expanduser().absolute(),
            etcd_cafile=self.etcd_cafile and self.etcd_cafile.absolute(),
            etcd_certfile=self.etcd_certfile and self.etcd_certfile.absolute(),
            etcd_keyfile=self.etcd_keyfile and self.etcd_keyfile.absolute(),
            etcd_password_file=self.etcd_password_file and self.etcd_password_file.absolute(),
            kubeconfig=self.kubeconfig and self.kubeconfig.absolute(),
            crds=tuple(path.absolute() for path in self.crds),
            filenames=tuple(name if name == STDIN else str(Path(name).absolute()) for name in self.filenames),
        )

    def _problems(self) -> Iterator[str]:
        yield from self._storage_problems()
        yield from self._user_problems()
        yield from self._address_problems()
        yield from self._other_problems()

    @property
    def keeps_nothing(self) -> bool:
        return self.ephemeral or self.storage == "memory"

    def _storage_problems(self) -> Iterator[str]:
        if self.storage and self.storage not in STORES:
            yield f'there is no --storage "{self.storage}": it is one of {", ".join(STORES)}'
        if self.etcd_servers:
            if self.storage not in ("", "etcd"):
                yield f"--etcd-servers and --storage={self.storage} contradict one another"
            if self.etcd is not None:
                yield "--etcd-servers and --etcd contradict one another: use a cluster, or run an etcd"
        elif self.etcd_cafile or self.etcd_certfile or self.etcd_keyfile:
            yield "--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers"
        yield from self._quota_problems()
        if self.etcd is not None and self.storage not in ("", "etcd"):
            yield f"--etcd and --storage={self.storage} contradict one another"
        if self.data_dir and self.ephemeral:
            yield "--data-dir and --ephemeral contradict one another"
        if self.data_dir and self.storage == "memory":
            yield "--data-dir and --storage=memory contradict one another"

    def _user_problems(self) -> Iterator[str]:
        if (self.etcd_user or self.etcd_password_file) and not self.etcd_servers:
            yield "--etcd-user and --etcd-password-file are for --etcd-servers"
        if self.etcd_password_file and not self.etcd_user:
            yield "--etcd-password-file needs the user whose password it is: --etcd-user"
        if self.etcd_user and not self.etcd_password_file and ETCD_PASSWORD not in os.environ:
            yield f"--etcd-user needs a password: --etcd-password-file, or {ETCD_PASSWORD} in the environment"

    def _quota_problems(self) -> Iterator[str]:
        if self.etcd_quota_backend_bytes is None:
            return
        if self.etcd_servers:
            yield "--etcd-quota-backend-bytes and --etcd-servers contradict one another: the cluster has its own quota"
        if self.storage not in ("", "etcd"):
            yield f"--etcd-quota-backend-bytes and --storage={self.storage} contradict one another"
        if self.etcd_quota_backend_bytes < SMALLEST_QUOTA_BYTES:
            yield f"--etcd-quota-backend-bytes must be at least {SMALLEST_QUOTA_BYTES >> 20}Mi: a new plane needs some"

    def _address_problems(self) -> Iterator[str]:
        if self.port is not None and not 0 <= self.port <= 65535:
            yield f"--port {self.port} is not between 0 and 65535"
        if not self.bind_address:
            return
        try:
            address = ipaddress.ip_address(self.bind_address)
        except ValueError:
            yield f'--bind-address "{self.bind_address}" is no IP address'
            return
        if not address.is_loopback and not self.allow_remote:
            yield (
                f"--bind-address {self.bind_address} lets other machines in: "
                "say --allow-remote if that is what you want, or leave it out"
            )

    def _other_problems(self) -> Iterator[str]:
        if self.watch and not self.filenames:
            yield "--watch needs manifests to watch: name them with -f"
        if self.watch and STDIN in self.filenames:
            yield "--watch and -f - contradict one another: what was piped in can't change"
        if not self.wait and not self.detach:
            yield "--no-wait is for --detach: what runs in the foreground is waited for"
        if self.nodes is not None and not 0 <= self.nodes <= MOST_NODES:
            yield f"--nodes {self.nodes} is not between 0 and {MOST_NODES}"
        if self.timeout <= timedelta(0):
            yield "--timeout must be longer than nothing"
        for path in self.crds:
            if not path.exists():
                yield f'--crds: the path "{path}" does not exist'
