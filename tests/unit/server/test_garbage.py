"""The collector does not walk again and again through what is there to stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from datetime import timedelta

import pytest

from localplane.apiserver.server.monitoring.garbage import ShortWalks


class Kept:
    __slots__ = ("other",)

    def __init__(self) -> None:
        self.other: object = None


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_what_survived_a_long_walk_is_not_walked_through_again() -> None:
    walks = ShortWalks(longest=timedelta(0))
    walks.start()
    try:
        objects = [Kept() for _ in range(20_000)]
        before = gc.get_freeze_count()
        gc.collect()
        assert gc.get_freeze_count() >= before + len(objects)
        del objects
        assert gc.get_freeze_count() < before + 20_000, "what nobody holds goes, walked through or not"
    finally:
        walks.stop()


def test_after_a_short_walk_everything_is_looked_at_again() -> None:
    walks = ShortWalks(longest=timedelta(hours=1))
    walks.start()
    try:
        before = gc.get_freeze_count()
        kept = [Kept() for _ in range(1_000)]
        gc.collect()
        assert gc.get_freeze_count() <= before
        assert len(kept) == 1_000
        one, two = Kept(), Kept()
        one.other, two.other = two, one
        del one, two
        assert gc.collect() >= 2
    finally:
        walks.stop()
