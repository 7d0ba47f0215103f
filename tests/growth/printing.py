"""What prints many objects, or a few with many parts. One line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kctl.printers import jsonpath, kyaml, objects, sorting
from kctl.printers.custom_columns import CustomColumnsPrinter
from kctl.printers.painting.documents import JSONPainter, YAMLPainter
from kctl.printers.painting.pages import DescriptionPainter, DifferencePainter, ExplanationPainter
from kctl.printers.painting.tables import TablePainter
from kctl.printers.painting.themes import DARK
from kctl.printers.sorting import go_sort
from kctl.printers.table import TableOptions, TablePrinter, TabWriter
from localplane.apimachinery import jsonpath as paths
from localplane.apimachinery.golang import template as gotemplate
from localplane.apimachinery.objects import JSONObject
from tests.growth.works import Case, of


def _table(count: int) -> JSONObject:
    columns = [{"name": name, "type": "string", "priority": 0} for name in ("Name", "Age")]
    rows = [{"cells": [f"n{n}" * (n % 7), "1d"], "object": {"metadata": {"name": f"n{n}"}}} for n in range(count)]
    return {"kind": "Table", "apiVersion": "meta.k8s.io/v1", "columnDefinitions": columns, "rows": rows}


def _print_table(table: JSONObject) -> None:
    out = TabWriter(len)
    TablePrinter(TableOptions()).print(table, out)
    out.flush()


def _aligned(text: str) -> None:
    out = TabWriter(len, remembers=False)
    out.write(text)
    out.flush()


def _list(count: int) -> JSONObject:
    return {
        "kind": "List",
        "apiVersion": "v1",
        "items": [{"kind": "Pod", "metadata": {"name": f"n{n}"}} for n in range(count)],
    }


def _sorted(items: JSONObject) -> Any:
    return sorting.sorted_by("{.metadata.name}", items["items"], items["items"])


def _columns(items: JSONObject) -> None:
    CustomColumnsPrinter.from_spec("N:.metadata.name,K:.kind", no_headers=False).print(items, len)


def _template(text: str) -> Callable[[Any], str]:
    template = gotemplate.parse(text, "output")
    return lambda obj: gotemplate.execute(template, gotemplate.decoded(obj))


def _path(text: str) -> Callable[[Any], str]:
    template = paths.parse(text)
    return lambda obj: jsonpath.execute(template, obj)


def _painted_table(table: JSONObject) -> None:
    out = TabWriter(len, painter=TablePainter(DARK, str))
    TablePrinter(TableOptions()).print(table, out)
    out.flush()


def _painted(text: str) -> None:
    for painter in (YAMLPainter, JSONPainter, DescriptionPainter, ExplanationPainter, DifferencePainter):
        painter(DARK).paint(text)


def _sorted_by_go(items: list[int]) -> None:
    go_sort(list(items), lambda a, b: a < b)


_PARTS = ("a:b", "- ", "'", '\\"', '"', " ", "a ", "1/", "-1e", "{", ",True")


PRINTERS: tuple[Case, ...] = (
    of("table", _print_table, _table),
    of("columns, aligned", _aligned, lambda n: "".join("a\tb\n" if i % 2 else "a\n" for i in range(n))),
    of("columns, many in a line", _aligned, lambda n: "\t".join("a" * n) + "\n"),
    of("sorted by a field", _sorted, _list),
    of("sorted by Go", _sorted_by_go, lambda n: list(range(n // 2)) + list(range(n // 2, 0, -1))),
    of("custom columns", _columns, _list),
    of("go-template, range", _template("{{range .items}}{{.metadata.name}} {{end}}"), _list),
    of("go-template, index", _template('{{index .items 0}}{{len .items}}{{printf "%v" .items}}'), _list),
    of("JSONPath, range", _path("{range .items[*]}{.metadata.name}{'\\n'}{end}"), _list),
    of("JSONPath, filter", _path("{.items[?(@.kind=='Pod')].metadata.name}"), _list),
    of("JSONPath, descent", _path("{..name}"), _list),
    of("JSONPath, union", _path("{.items[0:9999:2]['kind','metadata']}"), _list),
    of("KYAML", kyaml.to_kyaml, _list),
    of("indented JSON", objects.go_indented, _list),
    of("table in colour", _painted_table, _table),
    of("colour, many lines", _painted, lambda n: "a: |\n  b: 1\n- 'c\n" * n),
    of("colour, odd lines", _painted, lambda n: "\n".join(part * n for part in _PARTS)),
)
