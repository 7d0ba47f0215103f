"""`kctl status`: which control planes there are, how they do, and what they said."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from kctl import program
from kctl.commands import new_app
from kctl.errors import KctlError, UsageError
from localplane.cli.down import sweep
from localplane.cli.lines import show
from localplane.cli.logs import LogReader, follow
from localplane.cli.places import DEFAULT_NAME, places
from localplane.cli.run_file import running
from localplane.cli.status import Status, all_statuses, as_json, block, status

app = new_app()

_HELP = """\
Show the control planes of this machine: URL, context, processes, versions, memory, objects and data.

Exits with 1 if the plane that was named, or every one, is down or not ready.

\b
Examples:
  kctl status
  kctl status --name test -o json
  kctl status --logs --follow
"""


@app.command("status", help=_HELP)
def show_status(
    name: Annotated[
        str | None, typer.Option("--name", help="Only this one. Default: all of them.", show_default=False)
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", show_default=False, help="json, for programs.")] = "",
    logs: Annotated[bool, typer.Option("--logs", help="Show what it said instead. Default: of default.")] = False,
    following: Annotated[bool, typer.Option("--follow", help="With --logs: and what it says, until it stops.")] = False,
) -> None:
    if output not in {"", "json"}:
        raise KctlError("--output must be 'json'")
    if following and not logs:
        raise UsageError("--follow is for --logs", hint="See 'kctl status --help' for usage.")
    if logs and output:
        raise UsageError("--logs and --output contradict one another", hint="See 'kctl status --help' for usage.")
    if logs:
        _show_logs(name or DEFAULT_NAME, following=following)
        return
    found = [status(name)] if name else all_statuses()
    _show_statuses(found, as_list=name is None, output=output)
    sweep()
    raise typer.Exit(0 if any(one.is_good for one in found) else 1)


def _show_statuses(found: list[Status], *, as_list: bool, output: str) -> None:
    if output:
        documents = [as_json(one) for one in found]
        sys.stdout.write(json.dumps(documents if as_list else documents[0], indent=2) + "\n")
    elif not found:
        sys.stdout.write(f"No plane is up. Start one with `{program.name()} up`.\n")
    for one in found if not output else ():
        show(block(one))


def _show_logs(name: str, *, following: bool) -> None:
    path = places(name).log
    if not path.exists():
        raise KctlError(f'plane "{name}" has no log: it was never up, or has ended and kept nothing')
    if not following:
        sys.stdout.write(LogReader(path).read())
        return
    for text in follow(path, while_true=lambda: running(name) is not None):
        sys.stdout.write(text)
        sys.stdout.flush()
