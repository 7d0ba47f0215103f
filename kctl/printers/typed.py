"""Objects that kubectl handles as Go structs: JSON and KYAML have the fields in the structs' order.

A server may answer in another, and `kctl.changes.create` builds in this one. Everything else prints as usual.
"""

from __future__ import annotations

from kctl.command_line.flags import FlagSet
from kctl.printers import choice, kyaml, results, templates
from kctl.printers.choice import OBJECT_FORMATS, Printer
from kctl.printers.objects import Write, go_indented, without_managed_fields
from localplane.apimachinery.golang import template
from localplane.apimachinery.objects import JSONObject
from localplane.apis import encoding

_MANAGED = ("json", "yaml", "kyaml")


class TypedPrinter:
    """What JSON and KYAML show is the struct itself; other printers get it as a plain object."""

    def __init__(self, form: str, printer: Printer, *, keep_managed_fields: bool) -> None:
        self._form = form
        self._printer = printer
        self._keep = keep_managed_fields

    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        shown = encoding.encoded(obj if self._keep else without_managed_fields(obj))
        if event:
            self._printer.print(shown, write, event=event)
        elif self._form == "json":
            write(go_indented(shown, sort=False) + "\n")
        elif self._form == "kyaml":
            write(kyaml.to_kyaml(shown, sort=False))
        elif self._form.startswith("jsonpath"):
            # It is decoded from its JSON before a path is looked for in it, and then every number is a float64.
            self._printer.print(template.decoded(shown), write)
        else:
            self._printer.print(shown, write)


def printer_for(
    flags: FlagSet, operation: str, *, dry_run: str = "", formats: tuple[str, ...] = OBJECT_FORMATS
) -> Printer:
    """As `results.printer_for`, for structs."""
    printer = results.printer_for(flags, operation, dry_run=dry_run, formats=formats)
    form = choice.chosen_format(flags).lower()
    if form in ("", "name"):
        return printer
    if "template" in form and isinstance(printer, templates.GoTemplatePrinter):
        printer.of_structs = True
    return TypedPrinter(form, printer, keep_managed_fields=flags.is_on("show-managed-fields") or form not in _MANAGED)
