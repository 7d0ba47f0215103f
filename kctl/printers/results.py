"""What a verb says about an object it has changed: `configmap/a created`, `configmap/a` with -o name, or the object.

    printer = results.printer_for(given, "created", dry_run="server")
    printer.print(obj, session.write_object)

Kubernetes: PrintFlags in cli-runtime/pkg/genericclioptions, and cmdutil.PrintFlagsWithDryRunStrategy.
"""

from __future__ import annotations

from kctl.flags import Given

from . import choosing
from .choosing import OBJECT_FORMATS, Printer
from .objects import NamePrinter

_AFTER = {"": "", "none": "", "client": " (dry run)", "server": " (server dry run)"}


def printer_for(
    given: Given, operation: str, *, dry_run: str = "", formats: tuple[str, ...] = OBJECT_FORMATS
) -> Printer:
    """`dry_run` is none, client or server."""
    if not choosing.chosen_format(given):
        return NamePrinter(operation + _AFTER[dry_run], short=False)
    return choosing.printer_for(given, formats=formats)
