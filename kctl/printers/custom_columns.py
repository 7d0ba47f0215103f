"""-o custom-columns: a header and a path for each column. Kubernetes: kubectl/pkg/cmd/get/customcolumn.go."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from kctl.errors import KctlError
from kctl.printers.jsonpath import JSONPathError, JSONPathSyntaxError, Template, find, parse, relaxed
from kctl.printers.objects import Write, is_list
from kctl.printers.table import TabWriter
from kctl.printers.terminal import escape
from localplane.apimachinery.golang.text import go_plain
from localplane.apimachinery.objects import JSONObject

_FORMAT = "Expected format is one line of space separated headers, one line of space separated column specs."


class Column(NamedTuple):
    """`path` is read when the first object comes, after the headers are out."""

    header: str
    path: str


class CustomColumnsPrinter:
    """Headers are printed again when lists follow single objects."""

    def __init__(self, columns: list[Column], *, no_headers: bool) -> None:
        self._columns = columns
        self._no_headers = no_headers
        self._last: bool | None = None
        self._out: TabWriter | None = None

    @classmethod
    def from_spec(cls, spec: str, *, no_headers: bool) -> Self:
        columns = []
        for part in spec.split(","):
            header, colon, path = part.partition(":")
            if not colon:
                raise KctlError(f"unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>")
            columns.append(Column(header, relaxed(path)))
        return cls(columns, no_headers=no_headers)

    @classmethod
    def from_file(cls, text: str) -> Self:
        lines = text.splitlines()
        if not lines:
            raise KctlError(f"invalid template, missing header line. {_FORMAT}")
        if len(lines) < 2:
            raise KctlError(f"invalid template, missing spec line. {_FORMAT}")
        headers, paths = lines[0].split(), lines[1].split()
        if len(headers) != len(paths):
            raise KctlError(f"number of headers ({len(headers)}) and field specifications ({len(paths)}) don't match")
        return cls([Column(h, relaxed(p)) for h, p in zip(headers, paths, strict=True)], no_headers=False)

    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        if self._out is None:
            self._out = TabWriter(write)
        if not self._no_headers and self._last is not is_list(obj):
            self._out.write("\t".join(column.header for column in self._columns) + "\n")
            self._last = is_list(obj)
        try:
            paths = [_parsed(column.path) for column in self._columns]
            for item in obj["items"] if is_list(obj) else [{"type": event, "object": obj} if event else obj]:
                self._out.write("\t".join(_cell(path, item) for path in paths) + "\n")
        finally:
            self._out.flush()


def _parsed(text: str) -> Template:
    try:
        return parse(text)
    except JSONPathSyntaxError as error:
        raise KctlError(str(error)) from error


def _cell(path: Template, obj: Any) -> str:
    try:
        values = find(path, obj)
    except JSONPathError as error:
        raise KctlError(str(error)) from error
    texts = [escape(go_plain(value)) for part in values for value in part]
    return ",".join(["<none>"] * (not values or not values[0]) + texts)
