"""Merging, comparing, selecting, counting and printing take time in proportion to what they are given."""

from __future__ import annotations

import pytest

from tests.growth.measuring import too_fast
from tests.growth.subjects import Subject, works


@pytest.mark.parametrize("work", [*works()], ids=lambda work: work.name)
def test_work_grows_with_its_input(work: Subject) -> None:
    assert not too_fast(work.inputs, moderate=work.moderate)
