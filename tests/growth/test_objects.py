"""An object that is large in one place is written in proportion to its size, whatever its kind and wherever the place.

What is found here names a place in a kind and a step on the way to the store; `writing` has the steps.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from localplane.catalog.groups import groups
from localplane.catalog.options import CatalogOptions
from tests.growth.measuring import HIGHEST_EXPONENT, Work, growth_of
from tests.growth.objects import Place, places
from tests.growth.writing import STEPS

_SCALE = int(os.environ.get("GROWTH", "1"))
_LARGEST = _SCALE * 256
_FILLS: dict[str, tuple[Callable[[Place, int], Any], Callable[[Place, int], Any]]] = {
    "equal": (Place.equal, Place.equal),
    "distinct": (Place.distinct, lambda place, count: place.distinct(2 * count)[count:] if _is_list(place) else {}),
    "empty": (Place.empty, lambda place, _: place.empty(1)),
}
PLACES = tuple(places(groups(CatalogOptions()), again=_SCALE > 1))


def _is_list(place: Place) -> bool:
    return place.node.shape == "list"


@pytest.mark.parametrize("fill", _FILLS if _SCALE > 1 else ["distinct"])
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_a_large_object_is_written_in_proportion_to_its_size(place: Place, fill: str) -> None:
    findings = {step: growth_of(_work(place, fill, step), largest=_LARGEST) for step in STEPS}
    too_fast = [f"{step}: {found}" for step, found in findings.items() if found.exponent >= HIGHEST_EXPONENT]
    assert not too_fast, "\n".join(too_fast)


def _work(place: Place, fill: str, step: str) -> Work:
    new_of, old_of = _FILLS[fill]

    def work(count: int) -> Callable[[], Any]:
        new, old = (orjson.dumps(place.object_with(of(place, count))) for of in (new_of, old_of))

        def write() -> None:
            try:
                STEPS[step](place, orjson.loads(new), orjson.loads(old))
            except Exception as error:
                if not type(error).__module__.startswith("localplane."):
                    raise  # what Python says of it, nobody on the way expects

        return write

    return work
