"""The --controllers flag."""

from __future__ import annotations

import pytest

from localplane.controllers import CONTROLLERS, UnknownController, select

ALL = [spec.name for spec in CONTROLLERS if spec.by_default]


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        (["*"], ALL),
        ([], []),
        (["namespace-controller"], ["namespace-controller"]),
        (["namespace"], ["namespace-controller"]),
        (["garbagecollector", "namespace"], ["namespace-controller", "garbage-collector-controller"]),
        (["*", "-namespace"], [name for name in ALL if name != "namespace-controller"]),
        (["-namespace-controller", "*"], [name for name in ALL if name != "namespace-controller"]),
        (["-namespace"], []),
        (["namespace", "-namespace"], ["namespace-controller"]),
        (["-namespace", "namespace-controller"], []),
        (["service-lb-controller"], ["service-lb-controller"]),
        (["*", "service"], [*ALL, "service-lb-controller"]),
        (["none"], []),
        (["none", "*"], []),
    ],
)
def test_what_is_said_first_of_a_name_counts(patterns: list[str], chosen: list[str]) -> None:
    assert [spec.name for spec in select(patterns)] == chosen


def test_unknown_names_are_told_together_with_those_that_are_known() -> None:
    with pytest.raises(UnknownController) as caught:
        select(["*", "namespaces", "-gc"])
    unknown = [f'"{name}" is not in the list of known controllers' for name in ("namespaces", "gc")]
    assert str(caught.value).startswith(f"{', '.join(unknown)}; known are: ")
    assert "garbage-collector-controller" in str(caught.value)


def test_no_two_controllers_share_a_name() -> None:
    names = [name for spec in CONTROLLERS for name in (spec.name, *spec.aliases)]
    assert len(names) == len(set(names))
