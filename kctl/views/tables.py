"""Tables of what was found: a block for each type, with a blank line between. Used by get, events, scale and others.

Kubernetes: GetOptions.Run.

`get -w`: what is there, then what changes. Kubernetes: GetOptions.watch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, Unsortable
from kctl.objects import Info, resolve
from kctl.objects.arguments import Query
from kctl.printers import sorting
from kctl.printers.choice import GET_FORMATS, printer_for
from kctl.printers.objects import is_list
from kctl.printers.table import TableOptions, TablePrinter, is_table
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.golang import sources
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConnectionLost, RequestTimedOut
from localplane.client.rest import watch
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.statuses import Subject


def table_options(flags: FlagSet, mapping: RESTMapping | None, *, with_kind: bool, namespaces: bool) -> TableOptions:
    kind = ""
    if mapping is not None:
        kind = mapping.kind.kind.lower() + (f".{mapping.kind.group}" if mapping.kind.group else "")
    return TableOptions(
        no_headers=flags.is_on("no-headers"),
        wide=flags.text("output") == "wide",
        with_namespace=namespaces,
        with_kind=with_kind or flags.is_on("show-kind"),
        kind=kind,
        show_labels=flags.is_on("show-labels"),
        column_labels=tuple(flags.texts("label-columns")),
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


def print_infos(session: Session, flags: FlagSet, infos: Sequence[Info]) -> bool:
    """Whether anything was written."""
    infos = _sorted(flags, infos)
    several = len({info.rest_mapping.kind for info in infos}) > 1
    output = _Counting(session)
    out = session.columns(output)
    printer: TablePrinter | None = None
    last = None
    for info in infos:
        mapping = info.rest_mapping
        if printer is None or last != mapping.resource:
            out.flush()
            out.forget_widths()
            output.separate = last is not None and not flags.is_on("no-headers") and output.written
            namespaces = flags.is_on("all-namespaces") and mapping.namespaced
            printer = TablePrinter(table_options(flags, mapping, with_kind=several, namespaces=namespaces))
            last = mapping.resource
        try:
            printer.print(with_sorted_rows(flags, info.object or {}), out)
        except Unsortable:
            raise
        except KctlError:
            continue  # kubectl does not look at what its printer says
    out.flush()
    return output.written


def _sorted(flags: FlagSet, infos: Sequence[Info]) -> Sequence[Info]:
    """Objects or whole tables among themselves: kubectl takes tables for objects here. Raises KctlError.

    Kubernetes: RuntimeSorter.Sort.
    """
    path = flags.text("sort-by")
    if not path or len(infos) < 2:
        return infos
    return sorting.sorted_by(path, infos, [info.object for info in infos])


def with_sorted_rows(flags: FlagSet, obj: JSONObject) -> JSONObject:
    """A table with its rows in order; whatever else it is, as it is. Raises KctlError. Kubernetes: SortingPrinter."""
    path, rows = flags.text("sort-by"), obj.get("rows") or []
    if not path or len(rows) < 2 or not is_table(obj):
        return obj
    return {**obj, "rows": sorting.sorted_by(path, rows, [row.get("object") for row in rows], rows=True)}


class _Printing:
    """One object after another, in the form that was asked for, at once on its way."""

    def __init__(self, session: Session, flags: FlagSet, info: Info) -> None:
        self._events = flags.is_on("output-watch-events")
        self._out = session.columns()
        self._print: Callable[[JSONObject, str], None]
        output = flags.text("output")
        if (not output and not flags.text("template")) or output == "wide":
            namespaces = flags.is_on("all-namespaces")
            table = TablePrinter(table_options(flags, info.mapping, with_kind=False, namespaces=namespaces))
            self._print = lambda obj, event: table.print(with_sorted_rows(flags, obj), self._out, event=event)
        else:
            # kubectl leaves managed fields out of objects, but does not look for the one within an event.
            printer = printer_for(flags, formats=GET_FORMATS, keep_managed_fields=self._events)
            self._print = lambda obj, event: printer.print(obj, session.write_object, event=event)

    def show(self, obj: JSONObject, event: str, *, hidden: bool = False) -> None:
        """What is `hidden` still tells a table which columns there are."""
        if hidden:
            if not is_table(obj):
                return
            obj = {**obj, "rows": []}
        self._print(obj, event if self._events else "")
        self._out.flush()
        sys.stdout.flush()


_LIST_IN_FILE = (
    "watch is only supported on individual resources and resource collections, but a list of resources is found"
)


async def watch_one_type(session: Session, flags: FlagSet, query: Query) -> int:
    result = await resolve(session, query)
    try:
        infos = await result.infos()
    except NotFound:
        if flags.is_on("ignore-not-found"):
            return 0
        raise
    if not infos:
        raise KctlError("no objects were found to watch")
    if (query.filenames or query.kustomize) and any(is_list(info.object or {}) for info in infos):
        raise KctlError(_LIST_IN_FILE)
    named = not infos[0].object or bool(infos[0].name)
    printing = _Printing(session, flags, infos[0])
    for info in infos:
        obj = info.object or {}
        for one in obj["items"] if is_list(obj) else [obj]:
            try:
                printing.show(one, "ADDED", hidden=flags.is_on("watch-only"))
            except Unsortable:
                raise
            except KctlError as error:
                raise KctlError(f"unable to output the provided object: {error}") from error
    if named and len(infos) > 1:
        raise KctlError(_too_many(query, len(infos)))
    version = "0" if named else str(((infos[-1].object or {}).get("metadata") or {}).get("resourceVersion", ""))
    await _follow(infos[0], query, version, printing, skips_first=named)
    return 0


def _too_many(query: Query, count: int) -> str:
    """It is said after they were shown. Kubernetes: cli-runtime/pkg/resource, Result.Watch."""
    if len(query.filenames) == 1 or query.kustomize:
        what = "individual resources and resource collections"
        return f"watch is only supported on {what} - {count} resources were found"
    return "you may only watch a single resource or type of resource at a time"


_TIMED_OUT = (
    '"Unable to decode an event from the watch stream" '
    'err="context deadline exceeded (Client.Timeout or context cancellation while reading body)"'
)


async def _follow(info: Info, query: Query, version: str, printing: _Printing, *, skips_first: bool) -> None:
    """A watch of a single object begins with that object, which was shown already."""
    mapping = info.rest_mapping
    namespace = info.namespace if mapping.namespaced else ""
    if not info.name and query.all_namespaces:
        namespace = ""
    field_selector = f"metadata.name={info.name}" if info.name else query.field_selector
    parameters = {
        "fieldSelector": field_selector,
        "includeObject": "Object" if query.include_object else "",
        "labelSelector": "" if info.name else query.label_selector,
        "resourceVersion": version,
        "watch": "true",
    }

    async def open_stream() -> Any:
        return await info.session.client.stream(
            "GET",
            mapping.resource.path(namespace=namespace),
            query=[(name, value) for name, value in parameters.items() if value],
            headers=[("Accept", query.accept)],
            subject=Subject("GET", mapping.resource.group_resource),
        )

    async with watch.WatchStream(open_stream) as stream:
        hidden = skips_first
        try:
            async for event in stream:
                printing.show(event.object, event.type, hidden=hidden)
                hidden = False
        except APIError as error:
            printing.show(error.status(), "ERROR")
        except RequestTimedOut:
            info.session.log(5, sources.STREAM_ENDED, _TIMED_OUT)
        except ConnectionLost:
            return
