"""`kctl certs`: what a plane's certificates are, until when, and renewing them."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from kctl.commands import new_app
from kctl.errors import KctlError, UsageError
from localplane.cli import certs
from localplane.cli.flags import duration
from localplane.cli.places import DEFAULT_NAME
from localplane.cli.run_file import running

app = new_app()

_HELP = """\
Show what a plane is known by: each certificate, until when it is good, and who signed it; and renew all of it.

Certificates of servers and of the administrator last a year, and are renewed by themselves at a start in their last
month. Authorities, the key that signs tokens and the administrator's token stay until you renew them, in two steps:

\b
  1. kctl certs renew    makes new ones. Old and new are both believed; kubeconfigs, kube-root-ca.crt and what other
                         servers are told have both authorities. Nobody is locked out.
  2. kctl certs retire   ends the old ones, once everybody has a kubeconfig and tokens of since then.

A plane that is up begins again with the new keys: watches end, and clients resume them. Of a cluster on etcd do it on
one server; the others follow within half a minute.

\b
Examples:
  # Until when are the default plane's good?
  kctl certs
  kctl certs renew
  kctl certs retire --name test
"""


@app.callback(help=_HELP, invoke_without_command=True)
def default_certs(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        show()


_Name = Annotated[str, typer.Option("--name", help="Which one.")]
_DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", metavar="DIR", help="Where one that is down keeps its keys, if not where planes usually do."
    ),
]
_Timeout = Annotated[
    str, typer.Option("--timeout", metavar="DURATION", help="How long it may take to begin again: 30s.")
]


@app.command("show")
def show(
    name: _Name = DEFAULT_NAME,
    data_dir: _DataDir = None,
    output: Annotated[str, typer.Option("--output", "-o", help="json, for programs.")] = "",
) -> None:
    """Show each certificate of a plane, until when it is good, and who signed it.

    Examples:

      kctl certs show

      kctl certs show --name test -o json
    """
    if output not in {"", "json"}:
        raise KctlError("--output must be 'json'")
    _check(name, data_dir)
    found = certs.certificates(name, data_dir.absolute() if data_dir else None)
    if output:
        sys.stdout.write(json.dumps({"certificates": [each.as_json() for each in found]}, indent=2) + "\n")
        return
    rows = [("FILE", "UNTIL", "SIGNED BY", "USE")]
    for each in found:
        signer = "itself" if each.signer == each.subject else each.signer
        rows.append((each.file, f"{each.until:%Y-%m-%d} ({_days(each.until)})", signer, each.use))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        sys.stdout.write(
            "   ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) + "\n"
        )


@app.command("renew")
def renew(name: _Name = DEFAULT_NAME, data_dir: _DataDir = None, timeout: _Timeout = "1m") -> None:
    """Make new authorities, a new key for tokens and a new token of the administrator, beside the old ones.

    Both are believed until `kctl certs retire`. A plane that is up begins again with them.

    Examples:

      kctl certs renew

      kctl certs renew --name test
    """
    _check(name, data_dir)
    is_up = certs.change(name, "renew", data_dir=data_dir.absolute() if data_dir else None, timeout=duration(timeout))
    sys.stdout.write(
        f"{name} has new keys{'' if is_up else ', from its next start on'}; the previous ones are believed until "
        "`kctl certs retire`.\n"
    )


@app.command("retire")
def retire(name: _Name = DEFAULT_NAME, data_dir: _DataDir = None, timeout: _Timeout = "1m") -> None:
    """End the keys of before the renewal: tokens, certificates and kubeconfigs of that time are refused then.

    Examples:

      kctl certs retire

      kctl certs retire --name test
    """
    _check(name, data_dir)
    certs.change(name, "retire", data_dir=data_dir.absolute() if data_dir else None, timeout=duration(timeout))
    sys.stdout.write(f"{name} believes its present keys alone.\n")


def _check(name: str, data_dir: Path | None) -> None:
    if data_dir is not None and running(name) is not None:
        raise UsageError(f"--data-dir is for a plane that is down, and {name} is up")


def _days(until: datetime) -> str:
    days = (until - datetime.now(UTC)).days
    return f"in {days} days" if days >= 0 else "over"
