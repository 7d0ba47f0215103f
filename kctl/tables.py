"""Tables of what was found: a block for each type, with a blank line between. Used by get, events, scale and others.

Kubernetes: GetOptions.Run.
"""

from __future__ import annotations

from kctl.errors import KctlError, Unsortable
from kctl.printers.table import TableOptions, TablePrinter, is_table
from kctl.printers.tabwriter import TabWriter
from localplane.apimachinery.light_typing import TYPE_CHECKING
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kctl.flags import Given
    from kctl.resolve import Info
    from kctl.session import Session
    from localplane.client.mapper import RESTMapping


def table_options(given: Given, mapping: RESTMapping | None, *, with_kind: bool, namespaces: bool) -> TableOptions:
    kind = ""
    if mapping is not None:
        kind = mapping.kind.kind.lower() + (f".{mapping.kind.group}" if mapping.kind.group else "")
    return TableOptions(
        no_headers=given.is_on("no-headers"),
        wide=given.text("output") == "wide",
        with_namespace=namespaces,
        with_kind=with_kind or given.is_on("show-kind"),
        kind=kind,
        show_labels=given.is_on("show-labels"),
        column_labels=tuple(given.texts("label-columns")),
    )


class _Counting:
    """Writes, and puts a blank line before the next text when it is told to."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.written = False
        self.separate = False

    def __call__(self, text: str) -> None:
        if text and self.separate:
            self._session.write("\n")
            self.separate = False
        self._session.write(text)
        self.written = self.written or bool(text)


def print_infos(session: Session, given: Given, infos: Sequence[Info]) -> bool:
    """Whether anything was written."""
    infos = _sorted(given, infos)
    several = len({info.rest_mapping.kind for info in infos}) > 1
    output = _Counting(session)
    out = TabWriter(output)
    printer: TablePrinter | None = None
    last = None
    for info in infos:
        mapping = info.rest_mapping
        if printer is None or last != mapping.resource:
            out.flush()
            out.forget_widths()
            output.separate = last is not None and not given.is_on("no-headers") and output.written
            namespaces = given.is_on("all-namespaces") and mapping.namespaced
            printer = TablePrinter(table_options(given, mapping, with_kind=several, namespaces=namespaces))
            last = mapping.resource
        try:
            printer.print(with_sorted_rows(given, info.object or {}), out)
        except Unsortable:
            raise
        except KctlError:
            continue  # kubectl does not look at what its printer says
    out.flush()
    return output.written


def _sorted(given: Given, infos: Sequence[Info]) -> Sequence[Info]:
    """Objects or whole tables among themselves: kubectl takes tables for objects here. Raises KctlError.

    Kubernetes: RuntimeSorter.Sort.
    """
    path = given.text("sort-by")
    if not path or len(infos) < 2:
        return infos
    from kctl.printers.sorting import sorted_by

    return sorted_by(path, infos, [info.object for info in infos])


def with_sorted_rows(given: Given, obj: JSONObject) -> JSONObject:
    """A table with its rows in order; whatever else it is, as it is. Raises KctlError. Kubernetes: SortingPrinter."""
    path, rows = given.text("sort-by"), obj.get("rows") or []
    if not path or len(rows) < 2 or not is_table(obj):
        return obj
    from kctl.printers.sorting import sorted_by

    return {**obj, "rows": sorted_by(path, rows, [row.get("object") for row in rows], rows=True)}
