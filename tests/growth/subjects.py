"""Everything whose growth is measured: what does the work, and the inputs that are bad for it.

The tests measure a selection, with inputs of a moderate size; `python -m tests.growth` measures all of it, with inputs
as large as its time allows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson

from localplane.catalog.groups import groups
from localplane.catalog.options import CatalogOptions
from tests.growth.measuring import Work
from tests.growth.objects import Place, filled, kinds, places
from tests.growth.printing import PRINTERS
from tests.growth.readers import READERS, Reader
from tests.growth.texts import Shape, shapes
from tests.growth.works import WORKS
from tests.growth.writing import STEPS

_OURS = ("localplane.", "kctl.")


@dataclass(frozen=True, slots=True)
class Subject:
    """One that does work. `moderate` is a size that takes it milliseconds, as a rule."""

    name: str
    inputs: Mapping[str, Work]
    moderate: int


def texts() -> Iterator[Subject]:
    """Whoever reads a text, with texts of every shape."""
    for reader in READERS:
        yield Subject(reader.name, {name: _read(reader, shape) for name, shape in shapes().items()}, 2048)


def works() -> Iterator[Subject]:
    """Merging, comparing, selecting, counting and printing."""
    for case in (*WORKS, *PRINTERS):
        yield Subject(case.name, {"its own": _own_errors_only(case.work)}, 2048)


def fields(shape_names: Collection[str] | None = None) -> Iterator[Subject]:
    """Every built-in kind, with a long text in each of its fields. All shapes, unless some are named."""
    chosen = {name: shape for name, shape in shapes().items() if shape_names is None or name in shape_names}
    for kind in kinds(groups(CatalogOptions())):
        inputs = {
            f"{step} with {name}": _filled(kind, shape, step)
            for name, shape in chosen.items()
            for step in ("created", "updated")
        }
        yield Subject(kind.resource.kind, inputs, 512)


def objects(fills: Collection[str] | None = None, *, again: bool = False) -> Iterator[Subject]:
    """Every list and every map of every built-in kind, grown large in each of the ways; `again` in each kind that has
    it, though they share what looks at it."""
    for place in places(groups(CatalogOptions()), again=again):
        inputs = {
            f"{step}, {fill}": _large(place, fill, step)
            for fill in (_FILLS if fills is None else fills)
            for step in STEPS
        }
        yield Subject(place.name, inputs, 256)


_FILLS: dict[str, tuple[Callable[[Place, int], Any], Callable[[Place, int], Any]]] = {
    "equal": (Place.equal, Place.equal),
    "distinct": (
        Place.distinct,
        lambda place, count: place.distinct(2 * count)[count:] if place.node.shape == "list" else {},
    ),
    "empty": (Place.empty, lambda place, _: place.empty(1)),
}
"""What an object has in a place, and what it had there before."""


def _read(reader: Reader, shape: Shape) -> Work:
    def work(length: int) -> Callable[[], Any]:
        text = reader.frame(shape(length))

        def read() -> None:
            with suppress(*reader.expected):
                reader.read(text)

        return read

    return _own_errors_only(work)


def _filled(kind: Place, shape: Shape, step: str) -> Work:
    def work(length: int) -> Callable[[], Any]:
        obj = filled(kind.node, shape(length))
        obj["metadata"] = {"name": "x", "namespace": "default", "annotations": {"a": shape(length)}}
        body = orjson.dumps(obj)
        return lambda: STEPS[step](kind, orjson.loads(body), orjson.loads(body))

    return _own_errors_only(work)


def _large(place: Place, fill: str, step: str) -> Work:
    new_of, old_of = _FILLS[fill]

    def work(count: int) -> Callable[[], Any]:
        new, old = (orjson.dumps(place.object_with(of(place, count))) for of in (new_of, old_of))
        return lambda: STEPS[step](place, orjson.loads(new), orjson.loads(old))

    return _own_errors_only(work)


def _own_errors_only(work: Work) -> Work:
    """What Python itself says of an input, nobody on the way expects."""

    def tried(size: int) -> Callable[[], Any]:
        do = work(size)

        def once() -> None:
            try:
                do()
            except Exception as error:
                if not type(error).__module__.startswith(_OURS):
                    raise

        return once

    return tried
