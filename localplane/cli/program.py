"""The installed `localplane`: a plane for process managers. Quiet, and nobody's kubeconfig is touched."""

from __future__ import annotations

import sys
from dataclasses import replace

import typer

from localplane.apimachinery.errors import APIError
from localplane.apiserver.server.listener import CannotListen
from localplane.apiserver.server.options import InvalidOptions
from localplane.apiserver.server.tls import UnusableCertificate
from localplane.apiserver.storage.errors import StorageError

from .errors import PlaneError
from .flags import command
from .options import UpOptions
from .up import up

_HELP = "Run a control plane for a process manager: quiet, in the foreground, no kubeconfig changed. See also: kctl up."


def main() -> int:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command("localplane", help=_HELP)(command(UpOptions, _start))
    try:
        app()
    except (PlaneError, StorageError, CannotListen, InvalidOptions, UnusableCertificate, APIError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


def _start(options: UpOptions) -> int:
    return up(replace(options, merge_context=False), quiet=True)
