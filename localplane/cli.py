"""argv -> options -> a running server. `localplane` is this; `kctl up` is this with a report for people.

Kept apart from `compose` so that a program which embeds the server pays for no command line.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from localplane.apiserver.storage.errors import StorageError
from localplane.compose.storage import OpenStorage, StorageKind, StorageOptions, open_storage

_LONGEST_SOCKET_PATH = 100  # the kernel takes 104 to 108 bytes

# The flags that `localplane` and `kctl up` share.
Storage = Annotated[
    StorageKind | None,
    typer.Option(help="Which store: etcd when a fit one is found, else sqlite; memory forgets everything."),
]
DataDir = Annotated[
    Path | None, typer.Option(help="Where the data is kept. Default: $XDG_STATE_HOME/kctl/default.", show_default=False)
]
Etcd = Annotated[Path | None, typer.Option("--etcd", metavar="PATH", help="The etcd binary to run. Also: KCTL_ETCD.")]
AllowUnsafeEtcd = Annotated[
    bool, typer.Option("--allow-unsafe-etcd", help="Accept an etcd below 3.5.16, versions of which lose data.")
]
EtcdServers = Annotated[
    str, typer.Option(metavar="URL,...", help="Use this etcd cluster instead of running an etcd.", show_default=False)
]
EtcdCAFile = Annotated[Path | None, typer.Option("--etcd-cafile", help="CA that signed the cluster's certificates.")]
EtcdCertFile = Annotated[Path | None, typer.Option("--etcd-certfile", help="Our certificate for the cluster.")]
EtcdKeyFile = Annotated[Path | None, typer.Option("--etcd-keyfile", help="The key of that certificate.")]
EtcdPrefix = Annotated[str, typer.Option(help="Prefix of all keys in the store.")]
AcceptDataLoss = Annotated[
    bool, typer.Option("--accept-data-loss", help="Start although the data is older than it was, or not the same.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log more.")]


@dataclass(frozen=True, slots=True)
class Started:
    """What a start report can tell."""

    storage: OpenStorage
    health_socket: Path
    milliseconds: float


Report = Callable[[Started], None]


def storage_options(
    *,
    storage: StorageKind | None,
    data_dir: Path | None,
    etcd: Path | None,
    allow_unsafe_etcd: bool,
    etcd_servers: str,
    etcd_cafile: Path | None,
    etcd_certfile: Path | None,
    etcd_keyfile: Path | None,
    etcd_prefix: str,
    accept_data_loss: bool,
) -> StorageOptions:
    """Raises typer.BadParameter for flags that contradict one another."""
    servers = tuple(server.strip() for server in etcd_servers.split(",") if server.strip())
    if servers and storage not in (None, StorageKind.ETCD):
        raise typer.BadParameter(f"--etcd-servers and --storage={storage} contradict one another")
    if servers and etcd is not None:
        raise typer.BadParameter("--etcd-servers and --etcd contradict one another: use a cluster, or run an etcd")
    if not servers and (etcd_cafile or etcd_certfile or etcd_keyfile):
        raise typer.BadParameter("--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers")
    return StorageOptions(
        kind=storage,
        data_dir=data_dir,
        etcd_path=etcd,
        allow_unsafe_etcd=allow_unsafe_etcd,
        etcd_servers=servers,
        etcd_cafile=etcd_cafile,
        etcd_certfile=etcd_certfile,
        etcd_keyfile=etcd_keyfile,
        etcd_prefix="/" + etcd_prefix.strip("/"),
        accept_data_loss=accept_data_loss,
    )


def run(options: StorageOptions, report: Report, *, verbose: bool) -> None:
    """Serve until SIGINT or SIGTERM, on the fastest event loop there is."""
    logging.basicConfig(
        format="%(asctime)s %(levelname)s %(message)s",
        datefmt="%H:%M:%S",
        level=logging.INFO if verbose else logging.WARNING,
        stream=sys.stderr,
    )
    if sys.platform == "win32":
        asyncio.run(serve(options, report))
    else:
        import uvloop

        uvloop.run(serve(options, report))


async def serve(options: StorageOptions, report: Report) -> None:
    from localplane.apiserver.server.health import Check, ping
    from localplane.apiserver.server.health_socket import HealthHandler, listening

    started = perf_counter()
    stop = _stop_signal()
    async with AsyncExitStack() as stack:
        storage = await stack.enter_async_context(open_storage(options))
        handler = HealthHandler(live=[Check("ping", ping)], ready=storage.readiness(), facts=storage.facts)
        socket = _socket_path(storage.data_dir, stack)
        await stack.enter_async_context(listening(socket, handler))
        report(Started(storage, socket, (perf_counter() - started) * 1000))
        await stop.wait()


def _socket_path(data_dir: Path | None, stack: AsyncExitStack) -> Path:
    """In the data directory where its path is short enough, else in a private temporary one."""
    if data_dir is not None and len(os.fsencode(data_dir / "health.sock")) <= _LONGEST_SOCKET_PATH:
        return data_dir / "health.sock"
    return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="localplane-"))) / "health.sock"


def _stop_signal() -> asyncio.Event:
    """Set by the first SIGINT or SIGTERM; the second one does not wait for anything."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal(number: signal.Signals) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal, number)
    return stop


def server_command(report: Report) -> Callable[..., None]:
    """The command itself, for whoever wants to give it a name, a help text and a report."""

    def command(
        *,
        storage: Storage = None,
        data_dir: DataDir = None,
        etcd: Etcd = None,
        allow_unsafe_etcd: AllowUnsafeEtcd = False,
        etcd_servers: EtcdServers = "",
        etcd_cafile: EtcdCAFile = None,
        etcd_certfile: EtcdCertFile = None,
        etcd_keyfile: EtcdKeyFile = None,
        etcd_prefix: EtcdPrefix = "/registry",
        accept_data_loss: AcceptDataLoss = False,
        verbose: Verbose = False,
    ) -> None:
        options = storage_options(
            storage=storage,
            data_dir=data_dir,
            etcd=etcd,
            allow_unsafe_etcd=allow_unsafe_etcd,
            etcd_servers=etcd_servers,
            etcd_cafile=etcd_cafile,
            etcd_certfile=etcd_certfile,
            etcd_keyfile=etcd_keyfile,
            etcd_prefix=etcd_prefix,
            accept_data_loss=accept_data_loss,
        )
        run(options, report, verbose=verbose)

    return command


def main() -> int:
    """What the installed `localplane` calls: quiet, for process managers. People use `kctl up`."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    text = "Run a control plane's storage in the foreground; the API server is not part of this version yet."
    app.command("localplane", help=text)(server_command(lambda _: None))
    try:
        app()
    except StorageError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0
