"""How many pods there may be and must be while a deployment moves."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.workloads.deployments.limits import (
    max_replicas,
    max_surge,
    max_unavailable,
    new_size,
    scaled,
)


def deployment(replicas: int, surge: int | str, unavailable: int | str) -> JSONObject:
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable}
    return {"spec": {"replicas": replicas, "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}}


def recreated(replicas: int) -> JSONObject:
    return {"spec": {"replicas": replicas, "strategy": {"type": "Recreate"}}}


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "most_surge", "most_unavailable"),
    [
        (2, "0%", "1%", 0, 1),
        (1, "0%", "1%", 0, 1),
        (2, "1%", "25%", 1, 0),
        (1, "1%", "25%", 1, 0),
        (2, "1%", "0%", 1, 0),
        (10, "25%", "25%", 3, 2),
        (10, 3, 2, 3, 2),
        (1, 0, 5, 0, 1),
        (0, "25%", "25%", 0, 0),
        (0, 2, 1, 2, 0),
    ],
)
def test_shares_are_rounded_so_that_something_can_always_move(
    replicas: int, surge: int | str, unavailable: int | str, most_surge: int, most_unavailable: int
) -> None:
    obj = deployment(replicas, surge, unavailable)
    assert max_surge(obj) == most_surge
    assert max_unavailable(obj) == most_unavailable
    assert max_replicas(obj) == replicas + most_surge


def test_who_recreates_has_no_surge_and_gives_all_at_once() -> None:
    assert (max_surge(recreated(4)), max_unavailable(recreated(4))) == (0, 0)
    assert new_size(recreated(4), others=0, size=0) == 4


@pytest.mark.parametrize(
    ("others", "size", "expected"),
    [(0, 0, 10), (10, 0, 3), (8, 3, 5), (13, 0, 0), (14, 2, 2), (5, 6, 8), (1, 9, 10)],
)
def test_the_new_replica_set_grows_into_the_room_that_there_is(others: int, size: int, expected: int) -> None:
    assert new_size(deployment(10, 3, 2), others, size) == expected


def test_what_is_no_share_counts_as_nothing() -> None:
    assert scaled("half", 10, round_up=True) == 0
    assert scaled("5", 10, round_up=True) == 0
    assert scaled("150%", 10, round_up=True) == 15
