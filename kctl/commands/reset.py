"""`kctl reset`: empty a control plane."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kctl.commands import new_app
from kctl.errors import KctlError, UsageError
from localplane.cli.flags import duration
from localplane.cli.lines import tidy
from localplane.cli.places import DEFAULT_NAME
from localplane.cli.reset import reset_running, reset_stopped
from localplane.cli.run_file import running

app = new_app()

_HELP = """\
Delete everything that is stored in a control plane.

One that is up begins again as on its first day, at the same address and with the same keys: your context goes on
working, and the manifests it was started with are applied again, as their files are now. Of one that is down the whole
data directory is deleted. On a terminal you are asked before; a script is not.

\b
Examples:
  kctl reset
  # Without a question
  kctl reset --name test --yes
"""


@app.command("reset", help=_HELP)
def reset(
    name: Annotated[str, typer.Option("--name", help="Which one.")] = DEFAULT_NAME,
    data_dir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where one that is down keeps its data, if not where planes usually do."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask, on a terminal either.")] = False,
    timeout: Annotated[
        str, typer.Option("--timeout", metavar="DURATION", help="How long it may take: 30s, 2m.")
    ] = "1m",
) -> None:
    patience = duration(timeout)
    record = running(name)
    if record is not None and data_dir is not None:
        raise UsageError(f"--data-dir is for a plane that is down, and {name} is up")
    if not yes and not _is_wanted(name):
        raise KctlError(f"nothing was deleted: {name} is as it was")
    if record is None:
        gone = reset_stopped(name, data_dir.absolute() if data_dir else None)
        sys.stdout.write(f"{tidy(gone)} is deleted.\n" if gone else f"{name} is down and keeps no data.\n")
        return
    reset_running(record, timeout=patience)
    sys.stdout.write(f"{name} is empty.\n")


def _is_wanted(name: str) -> bool:
    """Asked where somebody can answer."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    sys.stderr.write(f"Delete everything that is stored in {name}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
