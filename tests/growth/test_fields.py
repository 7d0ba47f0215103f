"""A long text does no harm in any field of any built-in kind."""

from __future__ import annotations

import pytest

from tests.growth.measuring import too_fast
from tests.growth.subjects import Subject, fields

_SHAPES = [f"{unit!r} again and again, then '!'" for unit in ("0", "a", "-", "a.", "a/", "1.", "['", "a:")]


@pytest.mark.parametrize("kind", [*fields(_SHAPES)], ids=lambda kind: kind.name)
def test_a_long_text_takes_time_in_proportion_to_its_length_in_every_field(kind: Subject) -> None:
    assert len(kind.inputs) == 2 * len(_SHAPES)
    assert not too_fast(kind.inputs, moderate=kind.moderate)
