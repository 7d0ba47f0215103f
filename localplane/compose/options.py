"""What may be said about a cluster: plain data in a tree, whose fields carry their flags. Nothing heavy is imported
with it, so a command can read its flags before it knows whether it needs a server.

    ClusterOptions        the parts: controllers, admission plugins, nodes
      server              `apiserver/server/options`: addresses, TLS, who is let in
      authorization       who decides what they may do
      service_accounts    whose tokens are signed how
      leader_election     which of several servers acts
      storage             which store, and where

`cli.options.UpOptions` and `server.PlaneOptions` hold these; a new flag is one field here, with its Flag.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from localplane.apimachinery.quantity import parse
from localplane.apimachinery.times import InvalidDuration, parse_duration
from localplane.apiserver.server.flags import Flag, LibraryFlag, are_files, between, is_file, listed
from localplane.apiserver.server.options import ServerOptions
from localplane.apiserver.storage.keys import DEFAULT_ROOT
from localplane.apiserver.storage.snapshot import Snapshot

from .election import LeaderElectionOptions

ETCD_PASSWORD: Final = "KCTL_ETCD_PASSWORD"  # noqa: S105 - the name of a variable
_SMALLEST_QUOTA_BYTES: Final = 4 << 20
_FEWEST_SERVICE_ADDRESSES: Final = 8


class StorageKind(StrEnum):
    """Where objects are kept: an etcd that is run beside the server, a file, or nowhere."""

    ETCD = "etcd"
    SQLITE = "sqlite"
    MEMORY = "memory"


def _bytes(text: str) -> int:
    """A quantity as Kubernetes writes them, or a plain number."""
    return parse(text).value()


@dataclass(frozen=True, slots=True)
class Retention:
    """Of the history that people may ask for: so many bytes (None: the usual 16 MiB), or so long, whichever is less."""

    most_bytes: int | None = None
    longest: timedelta | None = None


_UNLIMITED_BYTES: Final = 1 << 40


def _retention(text: str) -> Retention:
    """A duration or a quantity of bytes, also as people write them: 1h, 100MB, 1Gi."""
    with suppress(InvalidDuration):
        longest = parse_duration(text)
        return Retention(_UNLIMITED_BYTES if longest else 0, longest)
    number = parse(text[:-1] if text.endswith("B") and text[:-1] else text).value()
    if number < 0:
        raise ValueError("it is negative")
    return Retention(number)


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
    how long any etcd may take to answer a call, and `etcd_connect_timeout` a member to accept a connection. With
    `begin_with` a store that is empty begins so; another is refused.
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
            "Where the data is kept; with --etcd-servers a copy of its keys. Default: $XDG_STATE_HOME/kctl/NAME.",
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
            "Use this etcd cluster instead of running an etcd. Servers on one --etcd-prefix are one cluster.",
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
    adopts_objects: Annotated[
        bool,
        Flag(
            "--adopt-objects",
            "With --etcd-servers: take over objects under the prefix that another control plane has stored.",
        ),
    ] = False
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
    encryption: Annotated[
        Path | None,
        Flag(
            "--encryption-provider-config",
            "Encrypt what is stored, as kube-apiserver does: an EncryptionConfiguration with aesgcm, aescbc, identity.",
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    accept_data_loss: Annotated[
        bool, Flag("--accept-data-loss", "Start although the data is older than it was, or not the same.")
    ] = False
    history: Annotated[
        Retention,
        Flag(
            "--history",
            "How much of the past 'kctl history' and --at can show, in memory: 1h, 100MB. Default: 16MB.",
            metavar="DURATION|BYTES",
            words=str,
            read=_retention,
            refusal='invalid argument "{text}" for "--history" flag: give a time or a size, such as 1h or 100MB',
            shows_default=False,
        ),
    ] = Retention()
    compaction_interval: timedelta = timedelta(minutes=5)
    begin_with: Snapshot | None = None


class AuthorizationMode(StrEnum):
    """Kubernetes' names, and its order in messages."""

    NODE = "Node"
    RBAC = "RBAC"
    WEBHOOK = "Webhook"
    ALWAYS_ALLOW = "AlwaysAllow"
    ALWAYS_DENY = "AlwaysDeny"


def _modes(words: str) -> tuple[AuthorizationMode, ...]:
    modes = []
    for word in listed(words):
        if word not in AuthorizationMode.__members__.values():
            raise ValueError(f"there is no mode {word!r}: those there are: {', '.join(AuthorizationMode)}")
        modes.append(AuthorizationMode(word))
    return tuple(modes)


def _are_no_modes(modes: Sequence[AuthorizationMode]) -> str:
    if not modes:
        return " needs at least one mode"
    twice = sorted({mode for mode in modes if modes.count(mode) > 1})
    return f" has a mode twice: {', '.join(twice)}" if twice else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationOptions:
    """Who is asked, in this order, whether somebody may do something; `system:masters` may do all in any case.
    `webhook_config` is a kubeconfig whose server is the URL that is asked in mode Webhook."""

    modes: Annotated[
        tuple[AuthorizationMode, ...],
        Flag(
            "--authorization-mode",
            "Who decides what somebody may do, in order: Node, RBAC, Webhook, AlwaysAllow, AlwaysDeny. "
            "Default: Node,RBAC",
            metavar="LIST",
            words=str,
            read=_modes,
            check=_are_no_modes,
            shows_default=False,
        ),
    ] = (AuthorizationMode.NODE, AuthorizationMode.RBAC)
    webhook_config: Annotated[
        Path | None,
        Flag(
            "--authorization-webhook-config-file",
            "Ask the webhook of this kubeconfig, with --authorization-mode Webhook.",
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    webhook_version: str = "v1"
    authorized_remembered: timedelta = timedelta(minutes=5)
    unauthorized_remembered: timedelta = timedelta(seconds=30)

    def problems(self) -> Iterator[str]:
        asks = AuthorizationMode.WEBHOOK in self.modes
        if asks and self.webhook_config is None:
            yield "authorization-mode Webhook needs --authorization-webhook-config-file: whom should it ask?"
        if self.webhook_config is not None and not asks:
            yield "--authorization-webhook-config-file is for --authorization-mode Webhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAccountOptions:
    """Without a signing key one is made and kept. `key_files` have keys, or certificates of keys, whose signatures are
    believed beside its own. The first issuer signs; tokens of all are believed."""

    signing_key: Annotated[
        Path | None,
        Flag(
            "--service-account-signing-key-file",
            "Sign tokens with this key, RSA or EC, instead of one of its own.",
            metavar="FILE",
            check=is_file,
            shows_default=False,
        ),
    ] = None
    key_files: Annotated[
        tuple[Path, ...],
        Flag(
            "--service-account-key-file",
            "Believe tokens that the keys in this file have signed. May be repeated.",
            metavar="FILE",
            check=are_files,
            shows_default=False,
        ),
    ] = ()
    issuers: Annotated[
        tuple[str, ...],
        Flag(
            "--service-account-issuer",
            "In whose name tokens are signed. More of them: whose tokens are believed too. "
            "Default: https://kubernetes.default.svc.cluster.local",
            metavar="URL",
            shows_default=False,
        ),
    ] = ()
    audiences: Annotated[
        tuple[str, ...],
        Flag(
            "--api-audiences",
            "For whom tokens must be meant. Default: the issuers.",
            metavar="LIST",
            words=str,
            read=listed,
            shows_default=False,
        ),
    ] = ()
    jwks_uri: str = ""
    longest_token: timedelta | None = None


def _is_no_range(text: str) -> str:
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        return f": {error}"
    return "" if network.num_addresses >= _FEWEST_SERVICE_ADDRESSES else f": {text} has fewer than 8 addresses"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOptions:
    """`controllers` is kube-controller-manager's flag: names, `*` for all, `-name` for one less; `none` is none at all.
    The plugins are kube-apiserver's flags. `nodes` is how many nodes are simulated: without one there is no scheduler
    either, and nobody says otherwise where there are no controllers. With an `administrator` there is a certificate of
    one, for a kubeconfig, also where the serving certificate is somebody else's. `seed` makes the simulation, and the
    scheduler's choice among equals, the same each time. With an `own_clock`, time can be made to pass there. On an etcd
    cluster the keys are those that all servers of the prefix have in common, unless `identity_in_store` says that they
    are not: whoever has kube-apiserver's flags brings his own."""

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
    own_clock: Annotated[
        bool,
        Flag("--own-clock", "Have a clock that can be advanced: see 'kctl clock'. It begins with the machine's time."),
    ] = False
    service_cluster_ip_range: Annotated[
        str,
        Flag(
            "--service-cluster-ip-range", "Where services get their addresses from.", metavar="CIDR", check=_is_no_range
        ),
    ] = "10.0.0.0/24"
    service_node_ports: range = range(30000, 32768)
    administrator: bool = True
    identity_in_store: bool = True
    authorization: AuthorizationOptions = field(default_factory=AuthorizationOptions)
    service_accounts: ServiceAccountOptions = field(default_factory=ServiceAccountOptions)
    leader_election: LeaderElectionOptions = field(default_factory=LeaderElectionOptions)

    @property
    def simulated_nodes(self) -> int:
        return self.nodes if self.nodes is not None else int(tuple(self.controllers) != ("none",))

    @property
    def names_parts(self) -> bool:
        """Somebody has chosen controllers or plugins, and may have misspelled one."""
        plugins = (*self.enabled_admission_plugins, *self.disabled_admission_plugins)
        return bool(plugins) or tuple(self.controllers) != ("*",)
