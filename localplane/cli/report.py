"""What `kctl up` says once it is ready."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field

from .context import Left
from .lines import Block, show, tidy
from .options import UpOptions
from .places import places
from .run_file import RunRecord


@dataclass(frozen=True, slots=True)
class StartReport:
    """`before` is the context that was current when it came."""

    record: RunRecord
    milliseconds: float
    switched: bool = True
    before: str = ""
    applied: int = 0
    nodes: int = 0
    notes: list[str] = field(default_factory=list)


def print_report(report: StartReport) -> None:
    """A reader who left is no reason to stop a plane that is up."""
    _tell(_block(report))


def print_stopped(options: UpOptions, left: Left) -> None:
    """The last word of a plane in the foreground; a terminal has put `^C` into the line."""
    if sys.stdout.isatty():
        sys.stdout.write("\n")
    if options.storage.etcd_servers:
        kept = "The data stays in the etcd cluster."
    elif options.keeps_nothing:
        kept = "Nothing is kept."
    else:
        kept = f"The data stays in {tidy(options.storage.data_dir or places(options.name).data)}."
    _tell(Block(" ".join(filter(None, (f"{options.name} has stopped. {kept}", left.sentence())))))


def _tell(block: Block) -> None:
    try:
        show(block)
    except BrokenPipeError:
        # What could not be written is still in the buffer, and would be tried again at the end.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _block(report: StartReport) -> Block:
    record = report.record
    rows = [("server", record.url)]
    if record.merged_into:
        rows.append(("context", _context(report)))
    else:
        rows.append(("try", f"kubectl --kubeconfig {tidy(record.kubeconfig)} get namespaces"))
    rows.append(("store", record.store))
    if record.data_dir:
        rows.append(("data", tidy(record.data_dir) + (" (gone at the end)" if record.ephemeral else "")))
    if report.nodes:
        rows.append(("nodes", f"{report.nodes} simulated: pods are scheduled and become ready, and nothing runs"))
    if report.applied:
        rows.append(("applied", f"{report.applied} object{'s' if report.applied != 1 else ''}"))
    rows += [("note", note) for note in report.notes]
    option = "" if record.name == "default" else f" --name {record.name}"
    stops = f"kctl down{option}" if record.detached else "Ctrl-C"
    footer = f"Ready in {report.milliseconds:.0f} ms. {stops} stops it."
    return Block(f"{record.name} is up", good=True, rows=rows, footer=footer)


def _context(report: StartReport) -> str:
    name = report.record.context
    if not report.switched:
        other = f", {report.before} is" if report.before not in ("", name) else ""
        return f"{name} (not current{other}: kubectl --context {name})"
    return f"{name} (current; was {report.before})" if report.before not in ("", name) else f"{name} (current)"
