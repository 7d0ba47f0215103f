"""`kctl env`: what a shell or a CI job evaluates to use a control plane."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from kctl import program
from kctl.commands import new_app
from kctl.errors import KctlError
from localplane.cli.places import DEFAULT_NAME
from localplane.cli.run_file import READY, running

app = new_app()

_HELP = """\
Print the variable that makes kubectl and its like use a control plane, whatever the current context is.

\b
Examples:
  # bash, zsh, sh
  eval "$(kctl env)"
  # fish
  kctl env --shell fish | source
  # PowerShell
  kctl env --shell powershell | Out-String | Invoke-Expression
  # GitHub Actions: for the steps that follow
  kctl env --shell dotenv >> "$GITHUB_ENV"
"""

_FORMS = {
    "sh": lambda value: f"export KUBECONFIG={shlex.quote(value)}",
    "fish": lambda value: f"set -gx KUBECONFIG {_in_single_quotes(value)}",
    "powershell": lambda value: f"$Env:KUBECONFIG = '{value.replace(chr(39), chr(39) * 2)}'",
    "dotenv": lambda value: f"KUBECONFIG={value}",
}
_SAME = {"bash": "sh", "zsh": "sh", "dash": "sh", "ksh": "sh", "pwsh": "powershell"}
_SHELLS = ("sh", "bash", "zsh", "fish", "powershell", "dotenv")


@app.command("env", help=_HELP)
def env(
    name: Annotated[str, typer.Option("--name", help="Which one.")] = DEFAULT_NAME,
    shell: Annotated[
        str,
        typer.Option(
            metavar="|".join(_SHELLS), help="For which shell. Default: the one in $SHELL.", show_default=False
        ),
    ] = "",
) -> None:
    form = _form(shell)
    record = running(name)
    if record is None:
        raise KctlError(f'plane "{name}" is not up: start it with `{program.name()} up -d --name {name}`')
    if record.phase != READY:
        raise KctlError(f'plane "{name}" is {record.phase}: try again when it is ready')
    sys.stdout.write(_FORMS[form](record.kubeconfig) + "\n")


def _form(shell: str) -> str:
    if not shell:
        used = Path(os.environ.get("SHELL", "")).name
        return _SAME.get(used, used if used in _FORMS else "sh")
    form = _SAME.get(shell, shell)
    if form not in _FORMS:
        raise KctlError(f'there is no --shell "{shell}": it is one of {", ".join(_SHELLS)}')
    return form


def _in_single_quotes(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
