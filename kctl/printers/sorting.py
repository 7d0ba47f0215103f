"""Go's sort.Sort, which is not stable: where several are equal, which comes first depends on the way it goes.

kubectl sorts with it, so whoever wants to end up with the same order has to take the same steps: insertion for a few,
otherwise quicksort with a pivot that is looked for in fixed places. Go: sort/zsortinterface.go, pdqsort.

--sort-by: objects, or a Table's rows, by what a path finds in them. Kubernetes: kubectl/pkg/cmd/get/sorter.go.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from kctl.errors import KctlError, Unsortable
from kctl.printers.jsonpath import JSONPathError, JSONPathSyntaxError, find, is_relaxed, parse, relaxed
from localplane.apimachinery.golang import sources
from localplane.apimachinery.golang.text import go_quote, go_type_name
from localplane.apimachinery.quantity import InvalidQuantity
from localplane.apimachinery.quantity import parse as parse_quantity

T = TypeVar("T")

_FEW = 12
_SHIFTS = 5
_WORTH_SHIFTING = 50
_NINTHER = 50
_MOST_SWAPS = 12
_WORD = (1 << 64) - 1


def go_sort(items: list[T], less: Callable[[T, T], bool]) -> None:
    """In place."""
    if len(items) > 1:
        _Sorting(items, less).run(0, len(items), len(items).bit_length())


class _Sorting(Generic[T]):
    def __init__(self, items: list[T], less: Callable[[T, T], bool]) -> None:
        self._items = items
        self._compare = less
        self._swaps = 0

    def _less(self, i: int, j: int) -> bool:
        return self._compare(self._items[i], self._items[j])

    def _swap(self, i: int, j: int) -> None:
        self._items[i], self._items[j] = self._items[j], self._items[i]

    def run(self, start: int, end: int, limit: int) -> None:
        """`limit` is how many bad pivots are allowed before heapsort takes over."""
        balanced = partitioned = True
        while (length := end - start) > _FEW:
            if not limit:
                self._heap(start, end)
                return
            if not balanced:
                self._scatter(start, end)
                limit -= 1
            pivot, swaps = self._pivot(start, end)
            if swaps == _MOST_SWAPS:
                self._items[start:end] = self._items[start:end][::-1]
                pivot, swaps = end - 1 - (pivot - start), 0
            if balanced and partitioned and not swaps and self._shifted(start, end):
                return
            if start and not self._less(start - 1, pivot):
                start = self._past_equal(start, end, pivot)
                continue
            middle, partitioned = self._partition(start, end, pivot)
            left, right = middle - start, end - middle
            balanced = min(left, right) >= length // 8
            if left < right:
                self.run(start, middle, limit)
                start = middle + 1
            else:
                self.run(middle + 1, end, limit)
                end = middle
        self._insertion(start, end)

    def _insertion(self, start: int, end: int) -> None:
        for next_one in range(start + 1, end):
            at = next_one
            while at > start and self._less(at, at - 1):
                self._swap(at, at - 1)
                at -= 1

    def _heap(self, start: int, end: int) -> None:
        size = end - start
        for root in range((size - 1) // 2, -1, -1):
            self._sift(root, size, start)
        for last in range(size - 1, -1, -1):
            self._swap(start, start + last)
            self._sift(0, last, start)

    def _sift(self, root: int, size: int, first: int) -> None:
        while (child := 2 * root + 1) < size:
            if child + 1 < size and self._less(first + child, first + child + 1):
                child += 1
            if not self._less(first + root, first + child):
                return
            self._swap(first + root, first + child)
            root = child

    def _scatter(self, start: int, end: int) -> None:
        """Break whatever pattern made the last pivot a bad one, always in the same way."""
        length = end - start
        random, mask = length, (1 << length.bit_length()) - 1
        middle = start + length // 4 * 2
        for position in range(middle - 1, middle + 2):
            random ^= random << 13 & _WORD
            random ^= random >> 7
            random ^= random << 17 & _WORD
            other = random & mask
            self._swap(position, start + (other - length if other >= length else other))

    def _pivot(self, start: int, end: int) -> tuple[int, int]:
        """Where it is, and how many of those looked at stood in the wrong order."""
        length = end - start
        self._swaps = 0
        low, middle, high = (start + length // 4 * part for part in (1, 2, 3))
        if length >= _NINTHER:
            low, middle, high = (self._median(one - 1, one, one + 1) for one in (low, middle, high))
        return self._median(low, middle, high), self._swaps

    def _median(self, a: int, b: int, c: int) -> int:
        a, b = self._ordered(a, b)
        b, c = self._ordered(b, c)
        a, b = self._ordered(a, b)
        return b

    def _ordered(self, a: int, b: int) -> tuple[int, int]:
        if self._less(b, a):
            self._swaps += 1
            return b, a
        return a, b

    def _shifted(self, start: int, end: int) -> bool:
        """Whether it is sorted already, or after a few that stood in the wrong place were moved."""
        at = start + 1
        for _ in range(_SHIFTS):
            while at < end and not self._less(at, at - 1):
                at += 1
            if at == end:
                return True
            if end - start < _WORTH_SHIFTING:
                return False
            self._swap(at, at - 1)
            if at - start >= 2:
                for position in range(at - 1, 0, -1):
                    if not self._less(position, position - 1):
                        break
                    self._swap(position, position - 1)
            if end - at >= 2:
                for position in range(at + 1, end):
                    if not self._less(position, position - 1):
                        break
                    self._swap(position, position - 1)
        return False

    def _partition(self, start: int, end: int, pivot: int) -> tuple[int, bool]:
        """Where the pivot ends up, and whether nothing else had to move."""
        self._swap(start, pivot)
        low, high, moved = start + 1, end - 1, False
        while True:
            while low <= high and self._less(low, start):
                low += 1
            while low <= high and not self._less(high, start):
                high -= 1
            if low > high:
                break
            self._swap(low, high)
            low, high, moved = low + 1, high - 1, True
        self._swap(high, start)
        return high, not moved

    def _past_equal(self, start: int, end: int, pivot: int) -> int:
        """Those equal to the pivot first; where the greater ones begin."""
        self._swap(start, pivot)
        low, high = start + 1, end - 1
        while True:
            while low <= high and not self._less(start, low):
                low += 1
            while low <= high and self._less(start, high):
                high -= 1
            if low > high:
                return low
            self._swap(low, high)
            low, high = low + 1, high - 1


_ABSENT: Any = object()


class _Keyed(NamedTuple):
    key: Any
    item: Any


def sorted_by(path: str, items: Sequence[T], objects: Sequence[Any], *, rows: bool = False) -> list[T]:
    """`objects` are what the path is looked for in, one for each item; `rows` is whether the items are a table's.

    Raises KctlError if none of them has it.
    """
    expression = path if rows and not is_relaxed(path) else relaxed(path)
    try:
        template = parse(expression)
        found = [find(template, obj) for obj in objects]
    except (JSONPathSyntaxError, JSONPathError) as error:
        raise KctlError(str(error)) from error
    keys = [values[0][0] if values and values[0] else _ABSENT for values in found]
    if items and all(key is _ABSENT for key in keys):
        raise KctlError(f"couldn't find any field with path {go_quote(expression)} in the list of objects")
    where = (
        (sources.UNSORTABLE_ROW, "[][][]reflect.Value")
        if rows
        else (sources.UNSORTABLE_OBJECT, "*unstructured.Unstructured")
    )

    def less(a: _Keyed, b: _Keyed) -> bool:
        try:
            return _less(a.key, b.key)
        except TypeError as error:
            text = f"Field {expression} in {where[1]} is an unsortable type: interface, err: {error}"
            raise Unsortable(_logged(where[0], text)) from error

    keyed = [_Keyed(key, item) for key, item in zip(keys, items, strict=True)]
    go_sort(keyed, less)
    return [one.item for one in keyed]


def _less(a: Any, b: Any) -> bool:
    """Raises TypeError, in kubectl's words."""
    if a is _ABSENT or b is _ABSENT:
        return a is _ABSENT
    if a is None or b is None:
        return a is None and b is not None
    if isinstance(a, str) and isinstance(b, str):
        try:
            return bool(parse_quantity(a) < parse_quantity(b))
        except InvalidQuantity:
            return a < b
    if type(a) is type(b) and type(a) in (int, float):
        return bool(a < b)
    if type(a) in (str, int, float):
        raise TypeError("unsortable interface: interface")
    raise TypeError(f"unsortable type: {go_type_name(a)}")


def _logged(place: str, text: str) -> str:
    stamp = dt.datetime.now().astimezone().strftime("%m%d %H:%M:%S.%f")
    return f"F{stamp} {os.getpid():7d} {place}] {text}"
