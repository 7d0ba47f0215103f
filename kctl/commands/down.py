"""`kctl down`: stop what `kctl up` has started."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kctl.commands import new_app
from kctl.errors import UsageError
from localplane.cli.down import kill, stop
from localplane.cli.flags import duration
from localplane.cli.places import DEFAULT_NAME, known_names
from localplane.cli.run_file import running_names

app = new_app()

_HELP = """\
Stop a control plane, and make the context current again that was before it. The data stays.

A plane that is not up is no error. One that was killed is cleaned up after.

\b
Examples:
  kctl down
  kctl down --name test
  kctl down --all
"""


@app.command("down", help=_HELP)
def down(
    name: Annotated[str | None, typer.Option("--name", help="Which one. Default: default", show_default=False)] = None,
    every: Annotated[bool, typer.Option("--all", help="Stop all of them.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Don't ask it to stop: end it at once.")] = False,
    timeout: Annotated[
        str, typer.Option("--timeout", metavar="DURATION", help="How long to wait for its end: 30s, 2m.")
    ] = "1m",
) -> None:
    if every and name is not None:
        raise UsageError("--name and --all contradict one another", hint="See 'kctl down --help' for usage.")
    patience = duration(timeout)
    names = list(known_names()) if every else [name or DEFAULT_NAME]
    stopped = [one for one in names if (kill(one) if force else stop(one, timeout=patience)) is not None]
    for one in stopped:
        sys.stdout.write(f"{one} has stopped.\n")
    if not stopped:
        sys.stdout.write(_nothing(names, every=every))


def _nothing(names: list[str], *, every: bool) -> str:
    if every:
        return "No plane is up.\n"
    others = running_names()
    hint = f" Up are: {', '.join(others)}." if others else ""
    return f"{names[0]} is not up.{hint}\n"
