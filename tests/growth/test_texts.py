"""Whoever reads a text reads each character of it once, or nearly so."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.growth.measuring import HIGHEST_EXPONENT, Work, growth_of
from tests.growth.readers import READERS, Reader
from tests.growth.texts import Shape, shapes

_LARGEST = int(os.environ.get("GROWTH", "1")) * 2048


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_reading_a_text_takes_time_in_proportion_to_its_length(reader: Reader) -> None:
    findings = {name: growth_of(_work(reader, shape), largest=_LARGEST) for name, shape in shapes().items()}
    too_fast = [f"{name}: {found}" for name, found in findings.items() if found.exponent >= HIGHEST_EXPONENT]
    assert not too_fast, "\n".join(too_fast)


def _work(reader: Reader, shape: Shape) -> Work:
    def work(length: int) -> Callable[[], Any]:
        text = reader.frame(shape(length))

        def read() -> None:
            try:
                reader.read(text)
            except reader.expected:
                pass
            except Exception as error:
                if not type(error).__module__.startswith(("localplane.", "kctl.")):
                    raise  # what Python says of it, nobody on the way expects

        return read

    return work
