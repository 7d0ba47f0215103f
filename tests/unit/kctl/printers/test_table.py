"""Tables, aligned as Go's tabwriter aligns them."""

from __future__ import annotations

from typing import Any

from kctl.printers.table import TableOptions, TablePrinter, TabWriter

COLUMNS = [
    {"name": "Name", "type": "string", "format": "name"},
    {"name": "Data", "type": "integer"},
    {"name": "Node", "type": "string", "priority": 1},
    {"name": "Age", "type": "string"},
]


def table(*rows: list[Any], labels: dict[str, str] | None = None, columns: Any = COLUMNS) -> dict[str, Any]:
    metadata = {"name": "x", "namespace": "blue", "labels": labels or {}}
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "columnDefinitions": columns,
        "rows": [{"cells": row, "object": {"metadata": metadata}} for row in rows],
    }


def printed(*tables: dict[str, Any], event: str = "", **options: Any) -> str:
    written: list[str] = []
    out = TabWriter(written.append)
    printer = TablePrinter(TableOptions(**options))
    for one in tables:
        printer.print(one, out, event=event)
        out.flush()
    return "".join(written)


def test_columns_are_three_spaces_apart_and_at_least_six_wide() -> None:
    assert printed(table(["a", 1, "n", "5s"], ["longer-name", 22, "n", "2m"])) == (
        "NAME          DATA   AGE\n"
        "a             1      5s\n"
        "longer-name   22     2m\n"
    )  # fmt: skip


def test_without_headers_the_narrowest_column_is_six_wide() -> None:
    assert printed(table(["a", 1, "n", "5s"]), no_headers=True) == "a     1     5s\n"


def test_wide_shows_the_columns_of_lower_priority() -> None:
    assert printed(table(["a", 1, "n", "5s"]), wide=True) == "NAME   DATA   NODE   AGE\na      1      n      5s\n"


def test_namespace_kind_and_labels_are_added() -> None:
    options: dict[str, Any] = {
        "with_namespace": True,
        "with_kind": True,
        "kind": "configmap",
        "show_labels": True,
        "column_labels": ("example.com/tier", "none"),
    }
    assert printed(table(["a", 1, "n", "5s"], labels={"example.com/tier": "db", "b": "c"}), **options) == (
        "NAMESPACE   NAME          DATA   AGE   TIER   NONE   LABELS\n"
        "blue        configmap/a   1      5s    db            b=c,example.com/tier=db\n"
    )


def test_an_object_without_labels_has_none() -> None:
    assert printed(table(["a", 1, "n", "5s"]), show_labels=True).endswith("5s    <none>\n")


def test_nothing_is_printed_of_an_empty_table() -> None:
    assert printed(table()) == ""


def test_a_cell_is_one_line_and_can_not_drive_the_terminal() -> None:
    rows = [["a\x1b[31m", 1, "n", "first\nsecond"], ["b", 1, "n", "over\rwritten"]]
    assert printed(table(*rows)) == "NAME      DATA   AGE\na^[[31m   1      first...\nb         1      over...\n"


def test_later_rows_keep_the_widths_and_repeat_no_headers() -> None:
    first = table(["a-long-name", 1, "n", "5s"])
    later = table(["b", 1, "n", "1s"], columns=[])
    assert printed(first, later) == "NAME          DATA   AGE\na-long-name   1      5s\nb             1      1s\n"


def test_an_events_type_is_a_column_of_its_own() -> None:
    assert printed(table(["a", 1, "n", "5s"]), event="ADDED") == (
        "EVENT      NAME   DATA   AGE\n"
        "ADDED      a      1      5s\n"
    )  # fmt: skip


def test_an_object_that_came_without_a_table_shows_name_and_age() -> None:
    obj = {"kind": "Foo", "apiVersion": "v1", "metadata": {"name": "a"}}
    assert printed(obj) == "NAME   AGE\na      <unknown>\n"


def test_a_wide_cell_after_a_hundred_rows_is_still_in_line() -> None:
    rows = [[f"r{number}", 1, "n", "5s"] for number in range(150)]
    rows[149][0] = "a-much-longer-name"
    lines = printed(table(*rows)).splitlines()
    assert {line.index("1  ", 15) for line in lines[1:]} == {21}
