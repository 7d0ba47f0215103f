"""A collection as rows: the server's Table taken apart, so that a reflector can follow it object by object.

A row is a small object: its metadata, its `cells`, the definitions of their `columns`, and when it was `received`.
Servers that know no Tables answer with whole objects; then there is a name and an age.

Changes for a pipe: a line for each, or a document.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import groupby

from kctl.command_line.flags import FlagSet
from kctl.printers.choice import GET_FORMATS, Printer, printer_for
from kctl.printers.objects import without_managed_fields
from kctl.printers.table import TableOptions, TablePrinter, TabWriter
from kctl.session.session import Session
from kctl.views.watch.changes import Change
from kctl.views.watch.sources import Source
from localplane.apimachinery import times
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.records import replace
from localplane.client.errors import ClientError
from localplane.client.rest import resources
from localplane.client.rest.options import ListOptions
from localplane.client.rest.watch import WatchEvent, WatchStream

TABLE = (
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)
_PLAIN_COLUMNS = [
    {"name": "Name", "type": "string", "format": "name", "priority": 0},
    {"name": "Age", "type": "date", "priority": 0},
]


class Columns:
    """What a server last said about its columns: only the first table of a watch says it."""

    def __init__(self) -> None:
        self.definitions: list[JSONObject] = _PLAIN_COLUMNS

    def rows(self, answer: JSONObject) -> list[JSONObject]:
        """Of a list, a Table or a single object."""
        if answer.get("kind") != "Table":
            items = answer.get("items")
            return [self._plain(item) for item in (items if isinstance(items, list) else [answer])]
        if answer.get("columnDefinitions"):
            self.definitions = answer["columnDefinitions"]
        return [self._row(row, answer) for row in answer.get("rows") or ()]

    def _row(self, row: JSONObject, table: JSONObject) -> JSONObject:
        metadata = dict((row.get("object") or {}).get("metadata") or {})
        metadata.pop("managedFields", None)
        if "resourceVersion" not in metadata and len(table.get("rows") or ()) == 1:
            metadata["resourceVersion"] = (table.get("metadata") or {}).get("resourceVersion", "")
        cells = row.get("cells") or []
        return {"metadata": metadata, "cells": cells, "columns": self.definitions, "received": datetime.now(UTC)}

    def _plain(self, obj: JSONObject) -> JSONObject:
        metadata = obj.get("metadata") or {}
        cells = [metadata.get("name", ""), times.age(metadata.get("creationTimestamp"))]
        return {"metadata": metadata, "cells": cells, "columns": _PLAIN_COLUMNS}


class Collection:
    """A reflector's source. `as_rows` gives rows, otherwise objects are brought in whole.

    `hear` is told of the connection: of what is wrong with it, or with nothing that it is fine.
    """

    def __init__(
        self, resource: resources.ResourceClient, source: Source, *, as_rows: bool, hear: Callable[[str], None]
    ) -> None:
        self._resource = resource
        self._source = source
        self._as_rows = as_rows
        self._hear = hear
        self._columns = Columns()

    async def list(self, options: ListOptions) -> JSONObject:
        options = self._selecting(options)
        if options.resource_version == "0":
            # Whoever has just changed something wants to see it, and not what some cache remembers.
            options = replace(options, resource_version="")
        answer = await self._resource.list(options, accept=TABLE if self._as_rows else "application/json")
        self._hear("")
        if not self._as_rows:
            return answer
        return {"metadata": answer.get("metadata") or {}, "items": self._columns.rows(answer)}

    def watch(self, options: ListOptions) -> WatchStream:
        accept = TABLE if self._as_rows else "application/json"
        stream = self._resource.watch(self._selecting(options), accept=accept)
        return _Events(stream, self._columns if self._as_rows else None, self._hear)

    def _selecting(self, options: ListOptions) -> ListOptions:
        return replace(options, label_selector=self._source.label_selector, field_selector=self._source.field_selector)


class _Events(WatchStream):
    """Another stream's events, with rows for their tables."""

    def __init__(self, stream: WatchStream, columns: Columns | None, hear: Callable[[str], None]) -> None:
        self._stream = stream
        self._columns = columns
        self._hear = hear

    async def open(self) -> None:
        try:
            await self._stream.open()
        except (APIError, ClientError) as error:
            self._hear(str(error))
            raise
        self._hear("")

    async def close(self) -> None:
        await self._stream.close()

    async def __anext__(self) -> WatchEvent:
        event = await anext(self._stream)
        if self._columns is None:
            return event
        rows = self._columns.rows(event.object)
        return WatchEvent(event.type, rows[0] if rows else {"metadata": event.object.get("metadata") or {}})


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

    def __init__(self, session: Session, flags: FlagSet) -> None:
        super().__init__(session)
        self._flags = flags
        self._changes_only = flags.is_on("watch-only")
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
            flags = self._flags
            options = TableOptions(
                no_headers=flags.is_on("no-headers"),
                wide=flags.text("output") == "wide",
                with_namespace=flags.is_on("all-namespaces") and source.mapping.namespaced,
                with_kind=True,
                kind=source.kind,
                show_labels=flags.is_on("show-labels"),
                column_labels=tuple(flags.texts("label-columns")),
            )
            self._tables[source.resource] = TablePrinter(options), self._session.columns()
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

    def __init__(self, session: Session, flags: FlagSet) -> None:
        super().__init__(session)
        self._changes_only = flags.is_on("watch-only")
        printer = printer_for(flags, formats=GET_FORMATS)
        keep = flags.is_on("show-managed-fields")
        is_json = flags.text("output").lower() == "json"
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
    def write(change: Change) -> None:
        obj = change.object if keep else without_managed_fields(change.object)
        session.write(go_json({"type": change.type, "object": obj}) + "\n")

    return write
