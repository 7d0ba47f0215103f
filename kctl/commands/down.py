"""`kctl down`: stop what `kctl up` has started."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kctl.commands import new_app
from kctl.errors import UsageError
from localplane.cli.down import kill, stop, sweep
from localplane.cli.flags import duration
from localplane.cli.places import DEFAULT_NAME, known_names
from localplane.cli.run_file import running_names

app = new_app()

_HELP = """\
Stop a control plane and take its context away. The data stays.

If another plane's context was current before, it is so again. If another cluster's was, no context is current then,
and how to go back is told: scripts that still run must not end up in a cluster that they were not meant for. With
`kctl up --switch-context=always`, whatever was current before is so again.

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
    stopped = [one for name in names if (one := kill(name) if force else stop(name, timeout=patience)) is not None]
    for one in stopped:
        sys.stdout.write(f"{one.record.name} has stopped.\n")
    if stopped and (sentence := stopped[-1].left.sentence()):
        sys.stdout.write(f"{sentence}\n")
    if not stopped:
        sys.stdout.write(_nothing(names, every=every))
    sweep()


def _nothing(names: list[str], *, every: bool) -> str:
    if every:
        return "No plane is up.\n"
    others = running_names()
    hint = f" Up are: {', '.join(others)}." if others else ""
    return f"{names[0]} is not up.{hint}\n"
