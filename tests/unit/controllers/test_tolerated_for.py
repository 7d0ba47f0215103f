"""How long a pod may stay where NoExecute taints are."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from localplane.controllers.nodes.taint_eviction import tolerated_for

FOR_EVER = timedelta.max


def taint(key: str, value: str = "") -> dict[str, Any]:
    return {"key": key, "value": value, "effect": "NoExecute"}


def exists(key: str, seconds: int | None = None) -> dict[str, Any]:
    toleration: dict[str, Any] = {"key": key, "operator": "Exists", "effect": "NoExecute"}
    return toleration if seconds is None else toleration | {"tolerationSeconds": seconds}


@pytest.mark.parametrize(
    ("taints", "tolerations", "delay"),
    [
        pytest.param([], [], FOR_EVER, id="no taint"),
        pytest.param([taint("a")], [], timedelta(0), id="nothing tolerated"),
        pytest.param([taint("a"), taint("b")], [exists("a")], timedelta(0), id="one of two tolerated"),
        pytest.param([taint("a")], [exists("a")], FOR_EVER, id="tolerated for ever"),
        pytest.param([taint("a")], [exists("a", 5)], timedelta(seconds=5), id="tolerated for a time"),
        pytest.param([taint("a")], [exists("a", -1)], timedelta(0), id="tolerated for less than no time"),
        pytest.param([taint("a"), taint("b")], [exists("a", 9), exists("b", 5)], timedelta(seconds=5), id="shortest"),
        pytest.param([taint("a"), taint("b")], [exists("a"), exists("b", 5)], timedelta(seconds=5), id="one for ever"),
        pytest.param([taint("a")], [exists("a", 9), exists("a", 5)], timedelta(seconds=9), id="the first that matches"),
        pytest.param([taint("a")], [exists("a", 2**62)], FOR_EVER, id="longer than anybody counts"),
    ],
)
def test_the_shortest_toleration_of_all_taints_counts(
    taints: list[dict[str, Any]], tolerations: list[dict[str, Any]], delay: timedelta
) -> None:
    assert tolerated_for(taints, tolerations) == delay
