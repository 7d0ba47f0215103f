"""Objects that kubectl handles as Go structs: their JSON keeps the order of fields in which they come.

Servers answer in that order, and `kctl.generators` builds in it. Everything else prints as usual.
"""

from __future__ import annotations

from kctl.flags import Given

from . import choosing, results
from .choosing import OBJECT_FORMATS, Printer
from .objects import JSONPrinter, Object, Write, go_indented, without_managed_fields


class TypedJSONPrinter:
    def __init__(self, *, keep_managed_fields: bool) -> None:
        self._keep = keep_managed_fields

    def print(self, obj: Object, write: Write, *, event: str = "") -> None:
        shown = obj if self._keep else without_managed_fields(obj)
        if event:
            JSONPrinter().print(shown, write, event=event)
            return
        write(go_indented(shown, sort=False) + "\n")


def printer_for(
    given: Given, operation: str, *, dry_run: str = "", formats: tuple[str, ...] = OBJECT_FORMATS
) -> Printer:
    """As `results.printer_for`, for structs."""
    if choosing.chosen_format(given).lower() == "json":
        return TypedJSONPrinter(keep_managed_fields=given.is_on("show-managed-fields"))
    return results.printer_for(given, operation, dry_run=dry_run, formats=formats)
