"""`kctl envtest`: the programs that test suites start, in a folder."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from kctl.commands import new_app
from kctl.errors import KctlError
from localplane.cli.envtest import EmbeddedStorage, prepare

app = new_app()

_HELP = """\
Prepare a folder with kube-apiserver, etcd and kubectl for suites that use envtest, and print its path.

controller-runtime, kubebuilder and operator-sdk take their programs from the folder that KUBEBUILDER_ASSETS names.
kube-apiserver is this server, with kube-apiserver's flags and no controllers; etcd is the one that `kctl up` would run;
kubectl is kctl. Nothing is downloaded. Asking again is quick, and safe while suites run.

\b
Examples:
  # Run a Go suite on it
  export KUBEBUILDER_ASSETS="$(kctl envtest)"
  go test ./...
  # Without an etcd: objects are kept in SQLite, in etcd's data directory
  export KUBEBUILDER_ASSETS="$(kctl envtest --embedded)"
  # The same in memory
  export KUBEBUILDER_ASSETS="$(kctl envtest --embedded --storage memory)"
  # All variables that such suites know
  eval "$(kctl envtest --env)"
"""


@app.command("envtest", help=_HELP)
def envtest(
    embedded: Annotated[
        bool, typer.Option("--embedded", help="No etcd: a stand-in takes its place, and the server keeps the objects.")
    ] = False,
    storage: Annotated[
        str,
        typer.Option(
            "--storage", metavar="sqlite|memory", help="With --embedded: where. Default: sqlite", show_default=False
        ),
    ] = "",
    etcd: Annotated[
        Path | None, typer.Option("--etcd", metavar="PATH", help="The etcd to use. Also: KCTL_ETCD.")
    ] = None,
    env: Annotated[
        bool, typer.Option("--env", help="Print variables for a shell to evaluate, not the path alone.")
    ] = False,
) -> None:
    if storage and not embedded:
        raise KctlError("--storage is for --embedded: otherwise objects are kept in etcd")
    if etcd is not None and embedded:
        raise KctlError("--etcd and --embedded contradict one another")
    if storage not in ("", *EmbeddedStorage):
        raise KctlError(f'there is no --storage "{storage}": it is one of {", ".join(EmbeddedStorage)}')
    kind = EmbeddedStorage(storage or EmbeddedStorage.SQLITE) if embedded else None
    assets = prepare(embedded=kind, etcd=etcd)
    if env:
        lines = [f"export {name}={shlex.quote(value)}" for name, value in assets.environment.items()]
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    else:
        sys.stdout.write(f"{assets.directory}\n")
