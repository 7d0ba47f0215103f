"""What a scalar means depends on its text, its tag and its quotes, in this order of strength: quotes, tag, text."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.nodes.node import BOOL, FLOAT, INT, NULL, STR, Scalar
from kctl.kustomize.nodes.scalars import resolve, value_of


@pytest.mark.parametrize(
    ("text", "tag", "value"),
    [
        ("word", STR, "word"),
        ("yes", STR, "yes"),
        ("on", STR, "on"),
        ("True", BOOL, True),
        ("~", NULL, None),
        ("", NULL, None),
        ("0777", INT, 511),
        ("0o17", INT, 15),
        ("0x1F", INT, 31),
        ("1_000", INT, 1000),
        ("08", FLOAT, 8.0),
        ("1:30", STR, "1:30"),
        ("2001-1-2", "!!timestamp", "2001-01-02T00:00:00Z"),
        ("2001-12-14t21:59:43.10-05:00", "!!timestamp", "2001-12-14T21:59:43.1-05:00"),
        ("2001-12-14 21:59:43", "!!timestamp", "2001-12-14T21:59:43Z"),
        ("2001-13-01", STR, "2001-13-01"),
    ],
)
def test_a_plain_scalar_is_what_it_looks_like(text: str, tag: str, value: Any) -> None:
    assert resolve(text) == (tag, value)


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        (Scalar("5", INT), 5),
        (Scalar("5", INT, '"'), "5"),
        (Scalar("5", STR), "5"),
        (Scalar("5"), 5),
        (Scalar("5", "", "'"), "5"),
        (Scalar("5", FLOAT), 5),
        (Scalar("5", STR, "!"), "5"),
        (Scalar("a\nb"), "a\nb"),
        (Scalar("1e21"), 1e21),
        (Scalar("aGk=", "!!binary", "!"), "hi"),
        (Scalar("x", "!custom", "!"), "x"),
    ],
)
def test_quotes_and_tags_decide(scalar: Scalar, value: Any) -> None:
    assert value_of(scalar) == value


@pytest.mark.parametrize(
    ("scalar", "problem"),
    [
        (Scalar("word", INT), "yaml: cannot decode !!str `word` as a !!int"),
        (Scalar("word", NULL), "yaml: cannot decode !!str `word` as a !!null"),
        (Scalar(".nan", FLOAT), "json: unsupported value: NaN"),
        (Scalar("-.inf"), "json: unsupported value: -Inf"),
    ],
)
def test_a_tag_that_does_not_fit_is_refused(scalar: Scalar, problem: str) -> None:
    with pytest.raises(KustomizeError) as caught:
        value_of(scalar)
    assert str(caught.value) == problem
