"""Merging, comparing, selecting, counting and printing take time in proportion to what they are given."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.growth.measuring import HIGHEST_EXPONENT, Work, growth_of
from tests.growth.printing import PRINTERS
from tests.growth.works import WORKS, Case

_LARGEST = int(os.environ.get("GROWTH", "1")) * 2048


@pytest.mark.parametrize("case", [*WORKS, *PRINTERS], ids=lambda case: case.name)
def test_work_grows_with_its_input(case: Case) -> None:
    found = growth_of(_own_errors_only(case.work), largest=_LARGEST)
    assert found.exponent < HIGHEST_EXPONENT, str(found)


def _own_errors_only(work: Work) -> Work:
    def tried(size: int) -> Callable[[], Any]:
        do = work(size)

        def once() -> None:
            try:
                do()
            except Exception as error:
                if not type(error).__module__.startswith(("localplane.", "kctl.")):
                    raise  # what Python says of it, nobody on the way expects

        return once

    return tried
