"""A long text does no harm in any field of any built-in kind."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import orjson
import pytest

from localplane.catalog.groups import groups
from localplane.catalog.options import CatalogOptions
from tests.growth.measuring import HIGHEST_EXPONENT, Work, growth_of
from tests.growth.objects import Place, filled, kinds
from tests.growth.texts import Shape, shapes
from tests.growth.writing import STEPS

_SCALE = int(os.environ.get("GROWTH", "1"))
_LARGEST = _SCALE * 512
_FEW = tuple(f"{unit!r} again and again, then '!'" for unit in ("0", "a", "-", "a.", "a/", "1.", "['", "a:"))
_SHAPES = {name: shape for name, shape in shapes().items() if _SCALE > 1 or name in _FEW}


@pytest.mark.parametrize("kind", [*kinds(groups(CatalogOptions()))], ids=lambda kind: kind.resource.kind)
def test_a_long_text_takes_time_in_proportion_to_its_length_in_every_field(kind: Place) -> None:
    works = {
        (name, step): _work(kind, shape, step) for name, shape in _SHAPES.items() for step in ("created", "updated")
    }
    findings = {name: growth_of(work, largest=_LARGEST) for name, work in works.items()}
    too_fast = [f"{name}: {found}" for name, found in findings.items() if found.exponent >= HIGHEST_EXPONENT]
    assert not too_fast, "\n".join(too_fast)


def _work(kind: Place, shape: Shape, step: str) -> Work:
    def work(length: int) -> Callable[[], Any]:
        obj = filled(kind.node, shape(length))
        obj["metadata"] = {"name": "x", "namespace": "default", "annotations": {"a": shape(length)}}
        body = orjson.dumps(obj)

        def write() -> None:
            try:
                STEPS[step](kind, orjson.loads(body), orjson.loads(body))
            except Exception as error:
                if not type(error).__module__.startswith("localplane."):
                    raise  # what Python says of it, nobody on the way expects

        return write

    return work
