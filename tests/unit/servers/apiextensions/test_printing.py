"""The cells that a definition's columns find."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.jsonpath import find, first, parse
from localplane.servers.apiextensions.objects.columns import columns_of

OBJECT = {
    "metadata": {"name": "a", "creationTimestamp": "2020-01-01T00:00:00Z"},
    "spec": {
        "n": 5,
        "f": 1.9,
        "on": True,
        "tags": ["x", "y"],
        "map": {"b": 1, "a": 2},
        "when": "nonsense",
        "null": None,
    },
    "status": {"conditions": [{"type": "Other", "status": "False"}, {"type": "Ready", "status": "True"}]},
}


@pytest.mark.parametrize(
    ("type_", "path", "cell"),
    [
        ("integer", ".spec.n", 5),
        ("integer", ".spec.f", 1),
        ("integer", ".spec.on", None),
        ("number", ".spec.n", 5),
        ("boolean", ".spec.on", True),
        ("boolean", ".spec.n", None),
        ("string", ".spec.n", "5"),
        ("string", ".spec.tags", '["x","y"]'),
        ("string", ".spec.tags[1]", "y"),
        ("string", ".spec.tags[9]", None),
        ("string", ".spec.map", '{"a":2,"b":1}'),
        ("string", ".spec.gone.deep", None),
        ("string", ".spec.null", "<no value>"),
        ("string", '.status.conditions[?(@.type=="Ready")].status', "True"),
        ("date", ".spec.when", "<invalid>"),
        ("date", ".spec.n", None),
    ],
)
def test_a_cell_is_what_its_type_makes_of_a_value(type_: str, path: str, cell: Any) -> None:
    name, column = columns_of([{"name": "C", "type": type_, "jsonPath": path}])
    assert (name.name, name.value(OBJECT)) == ("Name", "a")
    assert column.value(OBJECT) == cell


def test_without_columns_the_age_is_shown_and_a_path_that_is_none_shows_nothing() -> None:
    assert [column.name for column in columns_of([])] == ["Name", "Age"]
    assert [column.name for column in columns_of([{"name": "A", "type": "string", "jsonPath": ".a[?("}])] == ["Name"]


def _nested(levels: int) -> dict[str, Any]:
    tree: dict[str, Any] = {"b": "deepest"}
    for level in range(levels):
        tree = {"a": tree, "b": f"level {level}", "c": [tree["b"], {"b": level}]}
    return tree


@pytest.mark.parametrize("path", ["..a", "..b", "..a..b", "..a..a..b", "..c..b", "..c[0]", "..c[*]..b"])
def test_the_first_value_is_that_of_all_values(path: str) -> None:
    template, tree = parse(f"{{{path}}}"), _nested(6)
    assert first(template, tree, most=100_000) == find(template, tree)[0][:1]


def test_a_column_that_finds_the_same_on_many_ways_looks_at_it_once() -> None:
    """By four of these steps sixty levels are found half a million times, and by ten of them 10^10 times."""
    _, column = columns_of([{"name": "C", "type": "string", "jsonPath": "..a" * 10 + ".b"}])
    assert column.value(_nested(60)) == "level 49"


def test_a_column_whose_way_is_too_long_finds_nothing() -> None:
    _, column = columns_of([{"name": "C", "type": "string", "jsonPath": "..a" * 10_000}])
    assert column.value(_nested(2000 // 10)) is None
