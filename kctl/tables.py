"""Tables of what was found: a block for each type, with a blank line between. Used by get, events, scale and others.

Kubernetes: GetOptions.Run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.printers.table import TableOptions, TablePrinter, is_table
from kctl.printers.tabwriter import TabWriter

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
        printer.print(info.object or {}, out)
    out.flush()
    return output.written


def _sorted(given: Given, infos: Sequence[Info]) -> Sequence[Info]:
    """Rows within each table; objects that came without one among themselves."""
    path = given.text("sort-by")
    if not path or not infos:
        return infos
    from kctl.errors import KctlError
    from kctl.printers.sorting import sorted_by

    tables = [info for info in infos if is_table(info.object or {})]
    if tables and len(tables) != len(infos):
        raise KctlError("sorting is not supported on mixed Table and non-Table object lists")
    if not tables:
        return infos if len(infos) == 1 else sorted_by(path, infos, [info.object for info in infos])
    for info in tables:
        assert info.object is not None
        rows: list[dict[str, Any]] = info.object.get("rows") or []
        info.object["rows"] = sorted_by(path, rows, [row.get("object") for row in rows])
    return infos
