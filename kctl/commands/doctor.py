"""`kctl doctor`: stored objects that nobody can use, and how to be rid of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from kctl.commands import new_app
from kctl.errors import KctlError, UsageError
from localplane.cli.doctoring import Examination, Removal, examine_running, examine_stopped
from localplane.cli.flags import (
    Etcd,
    EtcdCAFile,
    EtcdCertFile,
    EtcdKeyFile,
    EtcdPasswordFile,
    EtcdPrefix,
    EtcdServers,
    EtcdUserName,
    listed,
)
from localplane.cli.options import UpOptions
from localplane.cli.places import DEFAULT_NAME
from localplane.cli.run_file import running

app = new_app()

_HELP = """\
List what is stored in a control plane and can't be used: bytes that are no JSON, a version that nobody serves, a text
where a list belongs, a required field that is missing.

A plane goes on with everything else, so this can be done while it is up; it works as well on the data of one that is
down, and on an etcd cluster. Nothing is removed unless you say so, and only what is listed can be.

Exits with 1 if something is left.

\b
Examples:
  # What is wrong with the default plane?
  kctl doctor
  # Remove one of the objects that were listed
  kctl doctor --delete /registry/configmaps/default/broken
  # Remove all that can't be read; what only lacks a field stays
  kctl doctor --name test --delete-unreadable
  # Look into an etcd cluster
  kctl doctor --etcd-servers https://a:2379 --etcd-cafile ca.crt
"""


@app.command("doctor", help=_HELP)
def doctor(
    *,
    name: Annotated[str, typer.Option("--name", help="Which one.")] = DEFAULT_NAME,
    delete: Annotated[
        list[str] | None,
        typer.Option("--delete", metavar="KEY", help="Remove what is stored under this key.", show_default=False),
    ] = None,
    delete_unreadable: Annotated[
        bool, typer.Option("--delete-unreadable", help="Remove everything that can't be read.")
    ] = False,
    output: Annotated[str, typer.Option("--output", "-o", show_default=False, help="json, for programs.")] = "",
    data_dir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where one that is down keeps its data, if not where planes usually do."),
    ] = None,
    etcd: Etcd = None,
    etcd_servers: EtcdServers = "",
    etcd_cafile: EtcdCAFile = None,
    etcd_certfile: EtcdCertFile = None,
    etcd_keyfile: EtcdKeyFile = None,
    etcd_user: EtcdUserName = "",
    etcd_password_file: EtcdPasswordFile = None,
    etcd_prefix: EtcdPrefix = "/registry",
) -> None:
    if output not in {"", "json"}:
        raise KctlError("--output must be 'json'")
    removal = Removal(tuple(delete or ()), all_unreadable=delete_unreadable)
    record = None if etcd_servers else running(name)
    if record is not None:
        if data_dir is not None:
            raise UsageError(f"--data-dir is for a plane that is down, and {name} is up")
        _show(examine_running(record, removal), output)
        return
    options = UpOptions(
        name=name,
        data_dir=data_dir.absolute() if data_dir else None,
        etcd=etcd,
        etcd_servers=listed([etcd_servers]),
        etcd_cafile=etcd_cafile,
        etcd_certfile=etcd_certfile,
        etcd_keyfile=etcd_keyfile,
        etcd_user=etcd_user,
        etcd_password_file=etcd_password_file,
        etcd_prefix="/" + etcd_prefix.strip("/"),
    )
    _show(examine_stopped(options, removal), output)


def _show(examination: Examination, output: str) -> None:
    left, removed = examination.left, examination.removed
    if output:
        document = {"badObjects": [each.as_json() for each in left], "removed": removed}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    else:
        for key in removed:
            sys.stdout.write(f"{key} is removed\n")
        for each in left:
            sys.stdout.write(f"{each.key}: {'incomplete' if each.shown else 'unreadable'}: {each.problem}\n")
        if left:
            sys.stderr.write("Remove one with --delete KEY, or all unreadable ones with --delete-unreadable.\n")
        elif not removed:
            sys.stdout.write("Everything that is stored can be used.\n")
    raise typer.Exit(1 if left else 0)
