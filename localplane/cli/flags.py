"""The flags that `kctl up` and `localplane` share, and the function that typer reads them from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from localplane.apimachinery.quantity import InvalidQuantity, parse
from localplane.apimachinery.times import InvalidDuration, parse_duration

from .errors import OptionsContradict
from .options import UpOptions
from .places import DEFAULT_NAME

# --- which one, and where ---
Name = Annotated[str, typer.Option("--name", help="Its name. Planes with different names run side by side.")]
Port = Annotated[
    int | None,
    typer.Option(help="Its port. Default: 6443, or the next one that is free; 0 is any.", show_default=False),
]
BindAddress = Annotated[
    str,
    typer.Option(
        metavar="IP", help="Where it listens. Default: 127.0.0.1 and ::1, so only from here.", show_default=False
    ),
]
AllowRemote = Annotated[
    bool, typer.Option("--allow-remote", help="Accept a --bind-address that other machines can reach.")
]

# --- what it stores in ---
Storage = Annotated[
    str,
    typer.Option(
        metavar="etcd|sqlite|memory",
        help="What it stores in. Default: etcd when a fit one is found, else sqlite; memory forgets everything.",
        show_default=False,
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Where the data is kept; with --etcd-servers its keys. Default: $XDG_STATE_HOME/kctl/NAME.",
        show_default=False,
    ),
]
Ephemeral = Annotated[
    bool, typer.Option("--ephemeral", help="Keep data and keys in a temporary directory that is gone at the end.")
]
Etcd = Annotated[Path | None, typer.Option("--etcd", metavar="PATH", help="The etcd binary to run. Also: KCTL_ETCD.")]
AllowUnsafeEtcd = Annotated[
    bool, typer.Option("--allow-unsafe-etcd", help="Accept an etcd below 3.5.16, versions of which lose data.")
]
EtcdServers = Annotated[
    str,
    typer.Option(
        metavar="URL,...",
        help="Use this etcd cluster instead of running an etcd. One plane for each --etcd-prefix.",
        show_default=False,
    ),
]
EtcdCAFile = Annotated[
    Path | None, typer.Option("--etcd-cafile", metavar="FILE", help="CA that signed the cluster's certificates.")
]
EtcdCertFile = Annotated[
    Path | None, typer.Option("--etcd-certfile", metavar="FILE", help="Our certificate for the cluster.")
]
EtcdKeyFile = Annotated[
    Path | None, typer.Option("--etcd-keyfile", metavar="FILE", help="The key of that certificate.")
]
EtcdUserName = Annotated[
    str, typer.Option("--etcd-user", metavar="NAME", help="Our name, where the cluster asks for users.")
]
EtcdPasswordFile = Annotated[
    Path | None,
    typer.Option(
        "--etcd-password-file",
        metavar="FILE",
        help="Holds the password of --etcd-user. Also: the password itself in KCTL_ETCD_PASSWORD.",
    ),
]
EtcdPrefix = Annotated[str, typer.Option(help="Prefix of all keys in the store.")]
EtcdQuota = Annotated[
    str,
    typer.Option(
        "--etcd-quota-backend-bytes",
        metavar="QUANTITY",
        help="How large the database of the etcd that it runs may become. Default: 8Gi.",
        show_default=False,
    ),
]
AcceptDataLoss = Annotated[
    bool, typer.Option("--accept-data-loss", help="Start although the data is older than it was, or not the same.")
]

# --- what is in it ---
Filename = Annotated[
    list[str] | None,
    typer.Option(
        "--filename",
        "-f",
        metavar="FILE|DIR|-",
        help="Apply these manifests at the start. May be repeated.",
        show_default=False,
    ),
]
Watch = Annotated[bool, typer.Option("--watch", help="Apply the manifests again whenever they change.")]
CRDs = Annotated[
    list[Path] | None,
    typer.Option("--crds", metavar="FILE|DIR", help="Custom resource definitions to begin with.", show_default=False),
]
Controllers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LIST",
        help="Controllers to run, as kube-controller-manager has it: '*' all, 'a' also a, '-a' not a; 'none'. "
        "Default: *",
        show_default=False,
    ),
]
EnableAdmission = Annotated[
    list[str] | None,
    typer.Option(
        "--enable-admission-plugins", metavar="LIST", help="Plugins to use beside the usual ones.", show_default=False
    ),
]
DisableAdmission = Annotated[
    list[str] | None,
    typer.Option("--disable-admission-plugins", metavar="LIST", help="Plugins to leave out.", show_default=False),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes",
        metavar="N",
        help="How many nodes to simulate, which is where pods run. With 0 there is no scheduler either. "
        "Default: 1, or 0 with --controllers none.",
        show_default=False,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="Let simulated nodes and the scheduler choose the same each time.",
        show_default=False,
    ),
]

# --- how it is started ---
Detach = Annotated[
    bool,
    typer.Option(
        "--detach", "-d", help="Leave it running in the background. If it is up already, this says so and succeeds."
    ),
]
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="With --detach: return when it is ready, or at once.")]
Timeout = Annotated[
    str, typer.Option("--timeout", metavar="DURATION", help="Give up if it is not ready by then: 30s, 2m.")
]
KubeconfigFile = Annotated[
    Path | None,
    typer.Option(
        "--kubeconfig",
        metavar="FILE",
        help="The kubeconfig that gets its context. Default: as kubectl's.",
        show_default=False,
    ),
]
NoSwitchContext = Annotated[
    bool, typer.Option("--no-switch-context", help="Add the context, but leave the current one as it is.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log more.")]


def up_command(start: Callable[[UpOptions], int]) -> Callable[..., None]:
    """The command itself, for whoever wants to give it a name and a help text. `start` returns the exit code."""

    def command(
        *,
        name: Name = DEFAULT_NAME,
        detach: Detach = False,
        port: Port = None,
        bind_address: BindAddress = "",
        allow_remote: AllowRemote = False,
        storage: Storage = "",
        data_dir: DataDir = None,
        ephemeral: Ephemeral = False,
        etcd: Etcd = None,
        allow_unsafe_etcd: AllowUnsafeEtcd = False,
        etcd_servers: EtcdServers = "",
        etcd_cafile: EtcdCAFile = None,
        etcd_certfile: EtcdCertFile = None,
        etcd_keyfile: EtcdKeyFile = None,
        etcd_user: EtcdUserName = "",
        etcd_password_file: EtcdPasswordFile = None,
        etcd_prefix: EtcdPrefix = "/registry",
        etcd_quota_backend_bytes: EtcdQuota = "",
        accept_data_loss: AcceptDataLoss = False,
        filename: Filename = None,
        watch: Watch = False,
        crds: CRDs = None,
        controllers: Controllers = None,
        enable_admission_plugins: EnableAdmission = None,
        disable_admission_plugins: DisableAdmission = None,
        nodes: Nodes = None,
        seed: Seed = None,
        wait: Wait = True,
        timeout: Timeout = "1m",
        kubeconfig: KubeconfigFile = None,
        no_switch_context: NoSwitchContext = False,
        verbose: Verbose = False,
    ) -> None:
        options = UpOptions(
            name=name,
            port=port,
            bind_address=bind_address,
            allow_remote=allow_remote,
            storage=storage,
            data_dir=data_dir,
            ephemeral=ephemeral,
            etcd=etcd,
            allow_unsafe_etcd=allow_unsafe_etcd,
            etcd_servers=listed([etcd_servers]),
            etcd_cafile=etcd_cafile,
            etcd_certfile=etcd_certfile,
            etcd_keyfile=etcd_keyfile,
            etcd_user=etcd_user,
            etcd_password_file=etcd_password_file,
            etcd_prefix="/" + etcd_prefix.strip("/"),
            etcd_quota_backend_bytes=_bytes(etcd_quota_backend_bytes) if etcd_quota_backend_bytes else None,
            accept_data_loss=accept_data_loss,
            filenames=tuple(filename or ()),
            watch=watch,
            crds=tuple(crds or ()),
            controllers=listed(controllers or ["*"]),
            enable_admission_plugins=listed(enable_admission_plugins or ()),
            disable_admission_plugins=listed(disable_admission_plugins or ()),
            nodes=nodes,
            seed=seed,
            detach=detach,
            wait=wait,
            timeout=duration(timeout),
            kubeconfig=kubeconfig,
            switch_context=not no_switch_context,
            verbose=verbose,
        )
        raise typer.Exit(start(options))

    return command


def duration(text: str) -> timedelta:
    """A flag's value in Go's form."""
    try:
        return parse_duration(text)
    except InvalidDuration as error:
        raise OptionsContradict(f'invalid argument "{text}" for "--timeout" flag: {error}') from error


def _bytes(text: str) -> int:
    """A quantity as Kubernetes writes them, or a plain number."""
    try:
        return parse(text).value()
    except InvalidQuantity as error:
        flag = "--etcd-quota-backend-bytes"
        raise OptionsContradict(f'invalid argument "{text}" for "{flag}" flag: {error}') from error


def listed(values: Iterable[str]) -> tuple[str, ...]:
    """Each may name several, with commas between them."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())
