"""Changes for a pipe: a line for each, or a document."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import TYPE_CHECKING

from kctl.printers.table import TableOptions, TablePrinter
from kctl.printers.tabwriter import TabWriter
from localplane.apimachinery.objects import JSONObject

from .changes import Change

if TYPE_CHECKING:
    from collections.abc import Callable

    from kctl.flags import Given
    from kctl.printers.choosing import Printer
    from kctl.session import Session

    from .sources import Source


class _Telling:
    """What all of them do: say that the server is gone, and that it is back."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._problems: dict[str, str] = {}

    def connected(self, source: Source, problem: str) -> None:
        before = self._problems.get(source.resource, "")
        self._problems[source.resource] = problem
        if problem and not before:
            self._session.say(f"Warning: {source.resource}: {problem}; trying again\n")


class Lines(_Telling):
    """kubectl's columns, with the event before them and the kind before each name. Headers once for each kind."""

    def __init__(self, session: Session, given: Given) -> None:
        super().__init__(session)
        self._given = given
        self._changes_only = given.is_on("watch-only")
        self._tables: dict[str, tuple[TablePrinter, TabWriter]] = {}

    def show(self, source: Source, changes: list[Change], *, initial: bool) -> None:
        if initial and self._changes_only:
            return
        printer, out = self._table(source)
        for event, together in groupby(changes, key=lambda change: change.type):
            rows = [change.object for change in together]
            printer.print(_table(rows), out, event=event)
        out.flush()
        sys.stdout.flush()

    def _table(self, source: Source) -> tuple[TablePrinter, TabWriter]:
        if source.resource not in self._tables:
            given = self._given
            options = TableOptions(
                no_headers=given.is_on("no-headers"),
                wide=given.text("output") == "wide",
                with_namespace=given.is_on("all-namespaces") and source.mapping.namespaced,
                with_kind=True,
                kind=source.kind,
                show_labels=given.is_on("show-labels"),
                column_labels=tuple(given.texts("label-columns")),
            )
            self._tables[source.resource] = TablePrinter(options), TabWriter(self._session.write)
        return self._tables[source.resource]


def _table(rows: list[JSONObject]) -> JSONObject:
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "columnDefinitions": rows[0]["columns"],
        "rows": [{"cells": row["cells"], "object": {"metadata": row["metadata"]}} for row in rows],
    }


class Documents(_Telling):
    """Whole objects. As JSON an event is a line, for what reads line by line."""

    def __init__(self, session: Session, given: Given) -> None:
        from kctl.printers.choosing import GET_FORMATS, printer_for

        super().__init__(session)
        self._changes_only = given.is_on("watch-only")
        printer = printer_for(given, formats=GET_FORMATS)
        keep = given.is_on("show-managed-fields")
        is_json = given.text("output").lower() == "json"
        self._print: Callable[[Change], None] = _json_line(session, keep=keep) if is_json else _event(session, printer)

    def show(self, source: Source, changes: list[Change], *, initial: bool) -> None:
        del source  # a whole object says what it is
        if initial and self._changes_only:
            return
        for change in changes:
            self._print(change)
        sys.stdout.flush()


def _event(session: Session, printer: Printer) -> Callable[[Change], None]:
    return lambda change: printer.print(change.object, session.write_object, event=change.type)


def _json_line(session: Session, *, keep: bool) -> Callable[[Change], None]:
    from kctl.printers.objects import without_managed_fields
    from localplane.apimachinery.gotext import go_json

    def write(change: Change) -> None:
        obj = change.object if keep else without_managed_fields(change.object)
        session.write(go_json({"type": change.type, "object": obj}) + "\n")

    return write
