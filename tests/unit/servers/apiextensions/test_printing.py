"""The cells that a definition's columns find."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.servers.apiextensions.printing import columns_of

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
