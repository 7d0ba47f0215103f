"""Text in columns, as Go's tabwriter aligns it: a column is a run of neighbouring lines that have a cell there which
ends in a tab, so the last cell of a line never widens anything.

What was flushed is remembered: later lines are at least as wide. Kubernetes: cli-runtime/pkg/printers/tabwriter.go.

Rows and columns: the server's Table, or name and age of any object.

Kubernetes: cli-runtime/pkg/printers/tableprinter.go (HumanReadablePrinter).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kctl.printers.terminal import Painted, escape
from localplane.apimachinery import times
from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, NamedTuple
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from kctl.printers.painting import tables

_NARROWEST = 6
_PADDING = 3
_MOST_COLUMNS = 200  # that are aligned: each takes a call inside the one before


class TabWriter:
    """Without `remembers` every run of lines is as wide as it has to be: Go's own tabwriter.

    A `painter` gets the cells of each line when it is known how wide they are: colours don't widen anything.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        narrowest: int = _NARROWEST,
        padding: int = _PADDING,
        remembers: bool = True,
        painter: tables.TablePainter | None = None,
    ) -> None:
        self._write = write
        self._painter = painter
        self._remembers = remembers
        self._narrowest = narrowest
        self._padding = padding
        self._parts: list[str] = []
        self._remembered: list[int] = []

    def write(self, text: str) -> None:
        self._parts.append(text)

    def flush(self) -> None:
        text = "".join(self._parts)
        self._parts = []
        if text:
            lines = [line.split("\t") for line in text.split("\n")]
            written: list[str] = []
            self._format(lines, 0, len(lines), [], written)
            joined = "\n".join(written)
            self._write(joined if self._painter is None else Painted(joined))

    def name_columns(self, names: Sequence[str]) -> None:
        """Of lines to come, for a painter that sees no headers."""
        if self._painter is not None:
            self._painter.name_columns(names)

    def forget_widths(self) -> None:
        self._remembered = []

    def _format(self, lines: list[list[str]], start: int, end: int, widths: list[int], written: list[str]) -> None:
        column = len(widths)
        line = start
        while line < end:
            if column >= len(lines[line]) - 1 or column == _MOST_COLUMNS:
                line += 1
                continue
            self._put(lines[start:line], widths, written)
            start = line
            width = self._narrowest
            while line < end and column < len(lines[line]) - 1:
                width = max(width, len(lines[line][column]) + self._padding)
                line += 1
            self._format(lines, start, line, [*widths, self._widened(column, width)], written)
            start = line
        self._put(lines[start:end], widths, written)

    def _widened(self, column: int, width: int) -> int:
        if not self._remembers:
            return width
        if column >= len(self._remembered):
            self._remembered.append(width)
        self._remembered[column] = max(self._remembered[column], width)
        return self._remembered[column]

    def _put(self, lines: list[list[str]], widths: list[int], written: list[str]) -> None:
        if self._painter is not None:
            written += [_joined(cells, self._painter.paint(cells), widths) for cells in lines]
            return
        for cells in lines:
            padded = (cell.ljust(width) for cell, width in zip(cells[:-1], widths, strict=False))
            rest = (f"{cell}   " for cell in cells[len(widths) : -1])  # none, unless there are very many columns
            written.append("".join((*padded, *rest, cells[-1])))


def _joined(cells: list[str], painted: list[str], widths: list[int]) -> str:
    """As without colour: what a cell lacks in width comes behind it."""
    parts = [part + " " * (width - len(cell)) for part, cell, width in zip(painted[:-1], cells, widths, strict=False)]
    parts += [f"{part}   " for part in painted[len(widths) : -1]]
    return "".join((*parts, painted[-1]))


_FLUSH_EVERY = 100
_EVENT_WIDTH = 8
_NONE = "<none>"
_OBJECT_COLUMNS = ("NAME", "AGE")
_STATUS_COLUMNS = ("STATUS", "REASON", "MESSAGE")


class TableOptions(NamedTuple):
    """`kind` is what stands before names when `with_kind`: `deployment.apps`."""

    no_headers: bool = False
    wide: bool = False
    with_namespace: bool = False
    with_kind: bool = False
    kind: str = ""
    show_labels: bool = False
    column_labels: tuple[str, ...] = ()


def is_table(obj: Mapping[str, Any]) -> bool:
    return obj.get("kind") == "Table" and str(obj.get("apiVersion", "")).startswith("meta.k8s.io/")


class TablePrinter:
    """Prints one after another; headers come when the columns change."""

    def __init__(self, options: TableOptions) -> None:
        self._options = options
        self._columns: list[JSONObject] = []
        self._printed_headers = False
        self._plain_headers: tuple[str, ...] = ()

    def print(self, obj: JSONObject, out: TabWriter, *, event: str = "") -> None:
        """`event` is the type of the watch event that brought it; a column of its own, if there is one."""
        if is_table(obj):
            self._table(obj, out, event)
        else:
            self._plain(obj, out, event)

    def _table(self, table: JSONObject, out: TabWriter, event: str) -> None:
        columns: list[JSONObject] = table.get("columnDefinitions") or []
        rows: list[JSONObject] = table.get("rows") or []
        options = self._options
        if self._printed_headers and (not columns or columns == self._columns):
            options = options._replace(no_headers=True)
        if not columns:
            columns = self._columns  # an event's table leaves out what is known already
        elif columns != self._columns:
            self._columns = columns
            self._printed_headers = False
        if rows:
            self._printed_headers = True
        _print_table(*_decorated(columns, rows, options, event), out, options)

    def _plain(self, obj: JSONObject, out: TabWriter, event: str) -> None:
        is_status = obj.get("kind") == "Status" and obj.get("apiVersion") == "v1"
        columns = _STATUS_COLUMNS if is_status else _OBJECT_COLUMNS
        options = self._options
        if columns != self._plain_headers and not options.no_headers:
            if self._plain_headers:
                out.write("\n")
            headers = [*(["EVENT"] if event else []), *(["NAMESPACE"] if options.with_namespace else []), *columns]
            headers += [_label_header(label) for label in options.column_labels]
            out.write("\t".join([*headers, *(["LABELS"] if options.show_labels else [])]) + "\n")
        self._plain_headers = columns
        for item in obj.get("items", [obj]) if isinstance(obj.get("items"), list) else [obj]:
            cells = [_event_cell(event)] if event else []
            out.write("\t".join([*cells, *self._plain_cells(item, is_status=is_status)]) + "\n")

    def _plain_cells(self, item: JSONObject, *, is_status: bool) -> list[str]:
        metadata = item.get("metadata") or {}
        options = self._options
        cells = [str(metadata.get("namespace", ""))] if options.with_namespace else []
        if is_status:
            cells += [_shown(item.get(key, "")) for key in ("status", "reason", "message")]
        else:
            name = str(metadata.get("name", ""))
            prefix = f"{options.kind}/" if options.with_kind and options.kind else ""
            cells += [_shown(prefix + name), times.age(metadata.get("creationTimestamp"))]
        return cells + [_shown(cell) for cell in _label_cells(metadata, options)]


def _decorated(
    columns: list[JSONObject], rows: list[JSONObject], options: TableOptions, event: str
) -> tuple[list[JSONObject], list[list[Any]]]:
    """With the columns that are ours: event, namespace, labels; and the kind before each name."""
    before = ["Event"] if event else []
    before += ["Namespace"] if options.with_namespace else []
    after = [_label_header(label) for label in options.column_labels]
    after += ["Labels"] if options.show_labels else []
    named = -1
    if options.with_kind and options.kind:
        of_names = (i for i, one in enumerate(columns) if one.get("format") == "name" and one.get("type") == "string")
        named = next(of_names, -1)
    decorated = []
    for row in rows:
        cells = list(row.get("cells") or ())
        if 0 <= named < len(cells):
            cells[named] = f"{options.kind}/{cells[named]}"
        metadata = (row.get("object") or {}).get("metadata")
        if after and metadata is not None:
            cells += _label_cells(metadata, options)
        front = [_event_cell(event)] if event else []
        front += [(metadata or {}).get("namespace", "")] if options.with_namespace else []
        decorated.append([*front, *cells])
    wrap = [{"name": name} for name in before], [{"name": name} for name in after]
    return [*wrap[0], *columns, *wrap[1]], decorated


def _label_header(label: str) -> str:
    return label.rpartition("/")[2].upper()


def _label_cells(metadata: Mapping[str, Any], options: TableOptions) -> list[str]:
    labels = metadata.get("labels") or {}
    cells = [labels.get(label, "") for label in options.column_labels]
    if options.show_labels:
        cells.append(",".join(f"{key}={labels[key]}" for key in sorted(labels)) or _NONE)
    return cells


def _event_cell(event: str) -> str:
    return event.ljust(_EVENT_WIDTH)


def _print_table(columns: list[JSONObject], rows: list[list[Any]], out: TabWriter, options: TableOptions) -> None:
    """Widths are settled before the first row is out, because what is flushed can't be aligned again."""
    if not rows:
        return
    seen = [i for i, column in enumerate(columns) if options.wide or not column.get("priority")]
    widest = {i: max((len(_text(row[i]).encode()) for row in rows if i < len(row)), default=0) for i in seen[:-1]}
    if not options.no_headers:
        headers = [(i, str(columns[i].get("name", "")).upper()) for i in seen]
        out.write("\t".join(_padded(name, widest.get(i, 0)) for i, name in headers) + "\n")
    out.name_columns([str(columns[i].get("name", "")) for i in seen])
    for number, row in enumerate(rows, start=1):
        shown = [(i, _text(row[i])) for i in seen if i < len(row)]
        pads = options.no_headers and number == 1
        cells = (
            _shown(text) + " " * (max(0, widest.get(i, 0) - len(text.encode())) if pads else 0) for i, text in shown
        )
        out.write("\t".join(cells) + "\n")
        if number % _FLUSH_EVERY == 0:
            out.flush()


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - len(text.encode()))


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    return go_plain(cell)


def _shown(text: Any) -> str:
    """One line of it, with its escape sequences made visible."""
    line = str(text)
    for breaking in "\f\n\r":
        position = line.find(breaking)
        if position >= 0:
            line = line[:position]
    return escape(line) + ("..." if len(line) < len(str(text)) else "")


def print_rows(rows: Sequence[Sequence[str]], out: TabWriter) -> None:
    """A plain table of a verb's own, its first row the headers."""
    for row in rows:
        out.write("\t".join(row) + "\n")
    out.flush()
