"""What a verb says about an object it has changed: `configmap/a created`, `configmap/a` with -o name, or the object.

    printer = results.printer_for(flags, "created", dry_run="server")
    printer.print(obj, session.write_object)

Kubernetes: PrintFlags in cli-runtime/pkg/genericclioptions, and cmdutil.PrintFlagsWithDryRunStrategy.
"""

from __future__ import annotations

from kctl.command_line.flags import FlagSet
from kctl.printers import choice
from kctl.printers.choice import OBJECT_FORMATS, Printer
from kctl.printers.objects import NamePrinter

_AFTER = {"": "", "none": "", "client": " (dry run)", "server": " (server dry run)"}


def printer_for(
    flags: FlagSet, operation: str, *, dry_run: str = "", formats: tuple[str, ...] = OBJECT_FORMATS
) -> Printer:
    """`dry_run` is none, client or server."""
    if not choice.chosen_format(flags):
        return NamePrinter(operation + _AFTER[dry_run], short=False)
    return choice.printer_for(flags, formats=formats)
