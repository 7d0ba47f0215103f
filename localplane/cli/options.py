"""What `kctl up` was asked for: plain data, checked with sentences before anything is started."""

from __future__ import annotations

import ipaddress
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from localplane.apimachinery.times import parse_duration
from localplane.apiserver.server.flags import Flag, between, exist, flags_of, problems, with_values
from localplane.compose.options import ETCD_PASSWORD, ClusterOptions, StorageKind, StorageOptions

from .context import SwitchContext
from .errors import OptionsContradict
from .manifests.reader import STDIN
from .places import DEFAULT_NAME, places

COMMAND_PREFIX = "run-"
"""How planes are called that were started for a command and without a name."""

_STREAM = Path("-")


def _absolute(value: Any) -> Any:
    """Paths, alone or several; everything else as it is, and so is the `-` of a stream."""
    if isinstance(value, Path):
        return value if value == _STREAM else value.expanduser().absolute()
    if isinstance(value, tuple) and value and isinstance(value[0], Path):
        return tuple(path.expanduser().absolute() for path in value)
    return value


def _is_too_short(timeout: timedelta) -> str:
    return "" if timeout > timedelta(0) else " must be longer than nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpOptions:
    """`port` None: 6443, or the next one that is free; a port that was named is taken or refused. The name, the port
    and the data directory of `cluster` are found when it is started. `command` is run once it is ready, and ends it."""

    name: Annotated[str, Flag("--name", "Its name. Planes with different names run side by side.")] = DEFAULT_NAME
    detach: Annotated[
        bool,
        Flag(
            "--detach",
            "Leave it running in the background. If it is up already, this says so and succeeds.",
            short="-d",
        ),
    ] = False
    port: Annotated[
        int | None,
        Flag(
            "--port",
            "Its port. Default: 6443, or the next one that is free; 0 is any.",
            check=between(0, 65535),
            shows_default=False,
        ),
    ] = None
    cluster: ClusterOptions = field(default_factory=ClusterOptions)
    ephemeral: Annotated[
        bool,
        Flag("--ephemeral", "Keep data and keys in a temporary directory that is gone at the end.", before="--etcd"),
    ] = False
    filenames: Annotated[
        tuple[str, ...],
        Flag(
            "--filename",
            "Apply these manifests at the start. May be repeated.",
            short="-f",
            metavar="FILE|DIR|-",
            shows_default=False,
            before="--controllers",
        ),
    ] = ()
    watch: Annotated[
        bool, Flag("--watch", "Apply the manifests again whenever they change.", before="--controllers")
    ] = False
    crds: Annotated[
        tuple[Path, ...],
        Flag(
            "--crds",
            "Custom resource definitions to begin with.",
            metavar="FILE|DIR",
            check=exist,
            shows_default=False,
            before="--controllers",
        ),
    ] = ()
    begin_from: Annotated[
        str,
        Flag(
            "--from",
            "Begin with the objects of a snapshot: its name, its file, or - for stdin. For a new plane.",
            metavar="NAME|FILE|-",
            shows_default=False,
            before="--controllers",
        ),
    ] = ""
    wait: Annotated[bool, Flag("--wait/--no-wait", "With --detach: return when it is ready, or at once.")] = True
    timeout: Annotated[
        timedelta,
        Flag(
            "--timeout",
            "Give up if it is not ready by then: 30s, 2m.",
            metavar="DURATION",
            words=str,
            default="1m",
            read=parse_duration,
            check=_is_too_short,
        ),
    ] = timedelta(minutes=1)
    kubeconfig: Annotated[
        Path | None,
        Flag(
            "--kubeconfig",
            "The kubeconfig that gets its context. Default: as kubectl's.",
            metavar="FILE",
            shows_default=False,
        ),
    ] = None
    merge_context: bool = True
    switch_context: Annotated[
        SwitchContext,
        Flag(
            "--switch-context",
            "Whether its context becomes the current one. auto: yes, and when it stops, a plane that was current before"
            " is so again, but no other cluster; always: whatever was current before is so again; never: no.",
            metavar="auto|always|never",
            words=str,
            default="auto",
            read=SwitchContext,
            refusal='there is no --switch-context "{text}": it is one of auto, always, never',
        ),
    ] = SwitchContext.AUTO
    no_switch_context: Annotated[bool, Flag("--no-switch-context", "The same as --switch-context=never.")] = False
    log_file: Annotated[
        Path | None,
        Flag("--log-file", "With a command: leave the plane's log here.", metavar="FILE", shows_default=False),
    ] = None
    verbose: Annotated[bool, Flag("--verbose", "Log more.", short="-v")] = False
    command: tuple[str, ...] = ()

    @property
    def storage(self) -> StorageOptions:
        return self.cluster.storage

    @property
    def switching(self) -> SwitchContext:
        return SwitchContext.NEVER if self.no_switch_context else self.switch_context

    @property
    def keeps_nothing(self) -> bool:
        return self.ephemeral or self.storage.kind is StorageKind.MEMORY

    def checked(self) -> UpOptions:
        """With absolute paths, because a detached plane leaves the directory. Raises OptionsContradict, PlaneError."""
        places(self.name)
        for problem in self._problems():
            raise OptionsContradict(problem)
        return _with_absolute_paths(self._for_command() if self.command else self)

    def _for_command(self) -> UpOptions:
        """A plane of its own: several such commands may run side by side, and none meets what another has stored."""
        storage = self.storage
        told = storage.kind or storage.data_dir or storage.etcd_servers or storage.etcd_path or storage.etcd_quota_bytes
        return replace(
            self,
            name=f"{COMMAND_PREFIX}{secrets.token_hex(4)}" if self.name == DEFAULT_NAME else self.name,
            port=self.port or 0,
            ephemeral=storage.data_dir is None,
            merge_context=False,
            log_file=self.log_file and self.log_file.absolute(),
            cluster=self.cluster if told else replace(self.cluster, storage=replace(storage, kind=StorageKind.MEMORY)),
        )

    def _problems(self) -> Iterator[str]:
        yield from self._storage_problems()
        yield from self._user_problems()
        yield from problems(self)
        yield from self._address_problems()
        yield from self.cluster.authorization.problems()
        yield from self.cluster.leader_election.problems()
        yield from self.cluster.server.audit.problems()
        yield from self._other_problems()

    def _storage_problems(self) -> Iterator[str]:
        storage = self.storage
        kind = storage.kind if storage.kind is not StorageKind.ETCD else None
        if storage.etcd_servers:
            if kind:
                yield f"--etcd-servers and --storage={kind} contradict one another"
            if storage.etcd_path is not None:
                yield "--etcd-servers and --etcd contradict one another: use a cluster, or run an etcd"
        elif storage.etcd_cafile or storage.etcd_certfile or storage.etcd_keyfile:
            yield "--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers"
        if storage.etcd_quota_bytes is not None:
            if storage.etcd_servers:
                yield (
                    "--etcd-quota-backend-bytes and --etcd-servers contradict one another: "
                    "the cluster has its own quota"
                )
            if kind:
                yield f"--etcd-quota-backend-bytes and --storage={kind} contradict one another"
        if storage.etcd_path is not None and kind:
            yield f"--etcd and --storage={kind} contradict one another"
        if storage.data_dir and self.ephemeral:
            yield "--data-dir and --ephemeral contradict one another"
        if storage.encryption and kind is StorageKind.MEMORY:
            yield "--encryption-provider-config and --storage=memory contradict one another: nothing is stored there"
        if storage.data_dir and kind is StorageKind.MEMORY:
            yield "--data-dir and --storage=memory contradict one another"

    def _user_problems(self) -> Iterator[str]:
        storage = self.storage
        if (storage.etcd_user or storage.etcd_password_file) and not storage.etcd_servers:
            yield "--etcd-user and --etcd-password-file are for --etcd-servers"
        if storage.etcd_password_file and not storage.etcd_user:
            yield "--etcd-password-file needs the user whose password it is: --etcd-user"
        if storage.etcd_user and not storage.etcd_password_file and ETCD_PASSWORD not in os.environ:
            yield f"--etcd-user needs a password: --etcd-password-file, or {ETCD_PASSWORD} in the environment"

    def _address_problems(self) -> Iterator[str]:
        server = self.cluster.server
        for address in server.addresses:
            if not ipaddress.ip_address(address).is_loopback and not server.allow_remote:
                yield (
                    f"--bind-address {address} lets other machines in: "
                    "say --allow-remote if that is what you want, or leave it out"
                )

    def _other_problems(self) -> Iterator[str]:
        tls = self.cluster.server.tls
        if (tls.certificate is None) != (tls.key is None):
            yield "--tls-cert-file and --tls-private-key-file are given together, or not at all"
        if self.begin_from == STDIN and STDIN in self.filenames:
            yield "--from - and -f - contradict one another: there is one stdin"
        if self.watch and not self.filenames:
            yield "--watch needs manifests to watch: name them with -f"
        if self.watch and STDIN in self.filenames:
            yield "--watch and -f - contradict one another: what was piped in can't change"
        if self.no_switch_context and self.switch_context is SwitchContext.ALWAYS:
            yield "--no-switch-context and --switch-context=always contradict one another"
        yield from self._command_problems()
        if not self.wait and not self.detach:
            yield "--no-wait is for --detach: what runs in the foreground is waited for"

    def _command_problems(self) -> Iterator[str]:
        if not self.command:
            if self.log_file is not None:
                yield "--log-file is for a command (kctl up --log-file FILE -- CMD): see `kctl status --logs`"
            return
        if self.detach:
            yield "--detach and a command contradict one another: the plane ends when the command does"
        if self.kubeconfig is not None:
            yield "--kubeconfig and a command contradict one another: the command gets a kubeconfig of its own"


def _with_absolute_paths(options: UpOptions) -> UpOptions:
    absolute = {declared.path: _absolute(declared.value_in(options)) for declared in flags_of(UpOptions)}
    names = (name if name == STDIN else str(Path(name).absolute()) for name in options.filenames)
    return with_values(options, {**absolute, ("filenames",): tuple(names)})
