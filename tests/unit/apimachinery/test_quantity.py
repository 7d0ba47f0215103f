"""Quantities: what comes back for what was sent, exact sums, and Kubernetes' own words for what is none."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.quantity import (
    FORMAT_WRONG,
    NUMBER_WRONG,
    SUFFIX_WRONG,
    ZERO,
    InvalidQuantity,
    Quantity,
    canonical,
    parse,
)
from localplane.apimachinery.schema.structs.codecs import QUANTITY, Unreadable


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1.5", "1500m"),
        ("1200m", "1200m"),
        ("100000", "100k"),
        ("0.0000000001", "1n"),
        ("1.23456789012", "1234567891n"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        (".5Gi", "512Mi"),
        ("0.3Ki", "307200m"),
        ("1.5Ki", "1536"),
        ("-1.5Gi", "-1536Mi"),
        ("10Ei", "9223372036854775807"),
        ("12e6", "12e6"),
        ("12e-1", "1200e-3"),
        ("1000e3", "1e6"),
        # The parser keeps a text that is as short as it should be, even if it could be written better.
        ("1E3", "1E3"),
        ("+1", "+1"),
        ("1.500", "1.500"),
        ("0100Mi", "0100Mi"),
        # And a suffix alone is nothing of it.
        ("Ki", "0"),
    ],
)
def test_a_quantity_is_answered_in_canonical_form(sent: str, answered: str) -> None:
    assert canonical(sent) == answered
    assert canonical(answered) == answered


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("", FORMAT_WRONG),
        (" 1", FORMAT_WRONG),
        ("1 Gi", FORMAT_WRONG),
        ("one", FORMAT_WRONG),
        ("1.2.3", FORMAT_WRONG),
        ("1Gb", FORMAT_WRONG),
        ("1mm", SUFFIX_WRONG),
        ("1GM", SUFFIX_WRONG),
        ("1e", SUFFIX_WRONG),
        ("1e99999999999999999999", SUFFIX_WRONG),
        ("Ei", NUMBER_WRONG),
    ],
)
def test_what_is_no_quantity_is_refused_in_the_words_of_its_parser(sent: str, words: str) -> None:
    with pytest.raises(InvalidQuantity) as refused:
        parse(sent)
    assert str(refused.value) == words


def test_the_same_amount_is_equal_however_it_is_written() -> None:
    assert parse("1000m") == parse("1") == parse("1e0")
    assert len({parse("1Gi"), parse("1024Mi"), parse("1073741824")}) == 1
    assert parse("1G") < parse("1Gi") <= parse("1024Mi")
    assert parse("-1") < ZERO < parse("1n")


def test_sums_are_exact_and_take_the_format_of_the_first_that_is_something() -> None:
    assert str(parse("100m") + parse("900m")) == "1"
    assert str(parse("0.1") + parse("0.2")) == "300m"
    assert str(ZERO + parse("1Gi")) == "1Gi"
    assert str(parse("1Gi") - parse("512Mi")) == "512Mi"
    assert str(parse("1Gi") + parse("1m")) == "1073741824001m"


@pytest.mark.parametrize(
    ("text", "value", "milli"),
    [("1500m", 2, 1500), ("-1500m", -2, -1500), ("1n", 1, 1), ("1Ki", 1024, 1_024_000), ("1e30", 0, 0)],
)
def test_values_are_rounded_away_from_zero(text: str, value: int, milli: int) -> None:
    assert (parse(text).value(), parse(text).milli_value()) == (value, milli)


def test_rounding_up_drops_what_is_finer() -> None:
    assert str(parse("1.0001").round_up(-3)) == "1001m"
    assert parse("1100m").round_up(-3) is parse("1100m")


def test_absurd_exponents_cost_nothing() -> None:
    huge = parse("1e2147483647")
    assert huge > parse("1E")
    assert huge + parse("1") == huge
    assert (huge.value(), -huge < ZERO) == (0, True)


def test_the_codec_answers_numbers_as_texts_and_refuses_other_types() -> None:
    assert [QUANTITY.read(value) for value in (1, 0.5, " 2000m ", 100_000)] == ["1", "500m", "2", "100k"]
    sent: list[Any] = ["500m", "0.5", 1]
    assert [value for value in sent if QUANTITY.fits(value)] == ["500m"]
    refused: list[Any] = [True, {}, [], "x"]
    for value in refused:
        with pytest.raises(Unreadable, match="quantities must match"):
            QUANTITY.read(value)


def test_products_and_signs() -> None:
    assert str(parse("250m") * 4) == "1"
    assert [Quantity(number).sign for number in (-3, 0, 3)] == [-1, 0, 1]
