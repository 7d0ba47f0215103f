"""`kctl up`: start what there is of a control plane, and say what was started."""

from __future__ import annotations

import typer

from kctl.commands import new_app
from localplane.cli import Started, server_command

app = new_app()

_HELP = """\
Start the storage of a control plane in the foreground: etcd as a subprocess, or the built-in SQLite.

The API server is not part of this version yet; what is started answers health checks on a private socket.

\b
Examples:
  # Start with what is on this machine: etcd if there is a fit one, else SQLite
  kctl up
  # Keep the data somewhere else
  kctl up --data-dir ./data
  # Use an etcd cluster that is already there
  kctl up --etcd-servers https://a:2379,https://b:2379 --etcd-cafile ca.crt
"""


def _print_report(started: Started) -> None:
    storage = started.storage
    rows = [("store", storage.store)]
    if storage.data_dir is not None:
        rows.append(("data", str(storage.data_dir)))
    rows.append(("health", f"curl --unix-socket {started.health_socket} http://localhost/readyz?verbose"))
    typer.secho("Storage is up. (The API server is not part of this version yet.)", bold=True)
    for name, value in rows:
        typer.echo(f"  {name:<8}{value}")
    for hint in storage.hints:
        typer.echo(f"  {'note':<8}{hint}")
    typer.echo(f"Ready in {started.milliseconds:.0f} ms. Ctrl-C stops it.")


app.command("up", help=_HELP)(server_command(_print_report))
