"""An object that is large in one place is written in proportion to its size, whatever its kind and wherever the place.

What is found here names a place in a kind and a step on the way to the store; `writing` has the steps.
"""

from __future__ import annotations

import pytest

from tests.growth.measuring import too_fast
from tests.growth.subjects import Subject, objects


@pytest.mark.parametrize("place", [*objects(["distinct"])], ids=lambda place: place.name)
def test_a_large_object_is_written_in_proportion_to_its_size(place: Subject) -> None:
    assert not too_fast(place.inputs, moderate=place.moderate)
