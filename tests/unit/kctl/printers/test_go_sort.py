"""Go's sort.Sort: what it makes of equal ones was taken from Go itself."""

from __future__ import annotations

import random

import pytest

from kctl.printers.sorting import go_sort


@pytest.mark.parametrize("size", [0, 1, 2, 12, 13, 49, 50, 200, 1000])
@pytest.mark.parametrize("values", [1, 2, 5, 10_000])
def test_everything_is_sorted(size: int, values: int) -> None:
    chosen = random.Random(size * values)
    for numbers in (
        [chosen.randrange(values) for _ in range(size)],
        list(range(size)),
        list(range(size, 0, -1)),
        [*range(size // 2), *range(size // 2)],
    ):
        expected = sorted(numbers)
        go_sort(numbers, lambda a, b: a < b)
        assert numbers == expected


def test_few_equal_ones_stay_in_order() -> None:
    items = [(0, number) for number in range(12)]
    go_sort(items, lambda a, b: a[0] < b[0])
    assert items == [(0, number) for number in range(12)]


def test_many_that_are_less_than_one_another_end_up_as_in_go() -> None:
    """Those without a field are less than everybody, themselves included."""
    items = list(range(20))
    go_sort(items, lambda a, b: True)
    assert items == [6, 0, 4, 16, 12, 3, 17, 1, 9, 15, 14, 7, 5, 13, 8, 18, 2, 11, 19, 10]


def test_many_of_which_some_are_equal_end_up_as_in_go() -> None:
    items = [number * 37 % 61 for number in range(60)]
    go_sort(items, lambda a, b: a % 7 < b % 7)
    shown = (
        "28 35 21 0 56 7 42 49 14 57 29 1 15 36 50 22 43 8 30 23 16 2 37 58 51 44 9 10 59 52 31 17 3 45 38 25 4 39 "
        "60 46 11 53 32 18 54 47 19 40 5 12 33 26 20 41 27 13 34 6 55 48"
    )
    assert items == [int(number) for number in shown.split()]
