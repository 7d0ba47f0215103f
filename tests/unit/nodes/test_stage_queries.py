"""The paths by which Stages look at objects."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.nodes.stages.queries import InvalidQuery, parse

POD: dict[str, Any] = {
    "metadata": {"name": "web", "annotations": {"a.b/c": "x"}, "ownerReferences": [{"kind": "Job"}, {"kind": "Other"}]},
    "status": {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "False"}],
        "nothing": None,
    },
}


@pytest.mark.parametrize(
    ("query", "values"),
    [
        (".status.phase", ["Running"]),
        (".metadata.deletionTimestamp", []),
        (".status.nothing", []),
        ('.metadata.annotations["a.b/c"]', ["x"]),
        ('.metadata.annotations."a.b/c"', ["x"]),
        (".metadata.ownerReferences.[].kind", ["Job", "Other"]),
        (".metadata.ownerReferences[].kind", ["Job", "Other"]),
        (".metadata.ownerReferences[1].kind", ["Other"]),
        (".metadata.ownerReferences[7].kind", []),
        ('.status.conditions.[] | select( .type == "Ready" ) | .status', ["True"]),
        ('.status.conditions.[] | select( .type != "Ready" ) | .status', ["False"]),
        ('.status.conditions.[] | select( .type == "Other" ) | .status', []),
        (".status.phase.deeper", []),
    ],
)
def test_a_path_finds_its_values(query: str, values: list[Any]) -> None:
    assert parse(query).values(POD) == values


@pytest.mark.parametrize(
    "query", ["phase", ".status | length", ".a + .b", ".a | select(.b)", ".a | select(.b == c)", "", "." * 2000, ".a?"]
)
def test_what_is_not_understood_is_refused(query: str) -> None:
    with pytest.raises(InvalidQuery):
        parse(query)
