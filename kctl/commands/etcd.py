"""`kctl etcd`: which etcd `kctl up` runs, how to get one, and how to make room in one that is full."""

import sys
from pathlib import Path
from typing import Annotated, Self

import typer

from kctl.commands import new_app
from localplane.apiserver.storage.etcd.program.binary import cache_directory, find_etcd
from localplane.apiserver.storage.etcd.program.install import debian, installer, releases
from localplane.cli import etcd_repair
from localplane.cli.flags import command
from localplane.cli.repair_options import RepairOptions

app = new_app()


@app.callback()
def etcd() -> None:
    """Find or install the etcd that `kctl up` runs, or repair one that is full."""


@app.command()
def path(
    etcd: Annotated[Path | None, typer.Option("--etcd", metavar="PATH", help="Look at this one instead.")] = None,
) -> None:
    """Print the path of the etcd that `kctl up` would run.

    The first of: --etcd, the variable KCTL_ETCD, etcd on PATH, and what `kctl etcd install` has installed.
    Exits with 1 if there is none that can be trusted with data.
    """
    sys.stdout.write(f"{find_etcd(explicit=etcd).path}\n")


@app.command()
def install(
    version: Annotated[
        str | None, typer.Option("--version", metavar="VERSION", help="Install this release, not the default.")
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            metavar="URL",
            envvar="KCTL_ETCD_BASE_URL",
            help="A mirror of etcd's releases, laid out as they are: URL/v3.5.33/etcd-v3.5.33-linux-amd64.tar.gz.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Install again, even if it is there already.")] = False,
) -> None:
    """Install etcd for this user, checked against a known sha256 sum.

    It goes into kctl's own cache; nothing else on this machine is changed, and root is not needed. Where etcd's
    releases can't be reached and the machine has apt, the binary is taken out of Debian's package.

    Examples:

      kctl etcd install

      kctl etcd install --base-url https://mirror.example.com/etcd
    """
    # httpx takes longer to import than the other subcommands take to run.
    with _Progress() as progress:
        program = installer.EtcdInstaller(cache=cache_directory(), reporter=progress, debian=debian.DebianArchive())
        installed = program.install(version=version, base_url=base_url or releases.OFFICIAL_BASE_URL, force=force)
    state = "already installed" if installed.already else "installed"
    sys.stdout.write(f"etcd {installed.binary.version} {state}: {installed.binary.path}\n")


def repair(options: RepairOptions) -> int:
    # The etcd client takes longer to import than the other subcommands take to run.
    etcd_repair.repair(options)
    return 0


_REPAIR_HELP = """\
Make room in an etcd that is full: compact its history, defragment its file, disarm the alarm.

A plane does this by itself with the etcd that it runs; an etcd cluster that others use it leaves alone until it
is told. What is stored stays as it is. An etcd answers nothing while its file is rewritten, and clients that
watch may have to list again.

It works on a plane that is up, on one that is down, and on any etcd cluster. Exits with 1 if a member could not be
repaired, or has another alarm.

Examples:

  kctl etcd repair

  kctl etcd repair --data-dir ./data

  kctl etcd repair --etcd-servers https://a:2379,https://b:2379 --etcd-cafile ca.crt
"""

app.command("repair", help=_REPAIR_HELP)(command(RepairOptions, repair))


class _Progress:
    """Sentences on stderr, and on a terminal a bar. The bar is rich's, imported only there."""

    def __init__(self) -> None:
        self._bar = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

            console = Console(stderr=True)
            columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=console, transient=True)
            self._task = self._bar.add_task("", visible=False, total=None)

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def note(self, sentence: str) -> None:
        if self._bar:
            self._bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        else:
            sys.stderr.write(f"{sentence}\n")

    def progress(self, received: int, total: int | None) -> None:
        if self._bar:
            self._bar.update(self._task, completed=received, total=total, visible=True)
