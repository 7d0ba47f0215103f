"""Whoever reads a text reads each character of it once, or nearly so."""

from __future__ import annotations

import pytest

from tests.growth.measuring import too_fast
from tests.growth.subjects import Subject, texts


@pytest.mark.parametrize("reader", [*texts()], ids=lambda reader: reader.name)
def test_reading_a_text_takes_time_in_proportion_to_its_length(reader: Subject) -> None:
    assert not too_fast(reader.inputs, moderate=reader.moderate)
