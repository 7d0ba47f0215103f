"""`kctl join`: how another machine runs a server of the same cluster."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from kctl.commands import new_app
from kctl.errors import KctlError
from localplane.cli.join import joining_of
from localplane.cli.places import DEFAULT_NAME
from localplane.cli.run_file import running

app = new_app()

_HELP = """\
Print the command with which another machine runs a server of the same cluster.

Servers on one prefix of an etcd cluster are one cluster, and its keys are in etcd: the way there is all that another
machine needs. The command names the files to bring, and nothing in it is secret. See 'kctl guide ha'.

\b
Examples:
  kctl join
  # Of another plane, for a program
  kctl join --name test -o json
"""


@app.command("join", help=_HELP)
def join(
    name: Annotated[str, typer.Option("--name", help="Which one.")] = DEFAULT_NAME,
    output: Annotated[str, typer.Option("--output", "-o", help="json, for programs.")] = "",
) -> None:
    if output not in {"", "json"}:
        raise KctlError("--output must be 'json'")
    record = running(name)
    if record is None:
        raise KctlError(f'plane "{name}" is down: start it with --etcd-servers, or name another with --name')
    told = joining_of(record)
    if output:
        document = {"command": ["kctl", "up", *told.words], "files": told.files, "notes": told.notes}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    else:
        sys.stdout.write(told.text())
