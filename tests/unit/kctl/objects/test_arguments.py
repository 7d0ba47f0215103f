"""Types and names, as people type them."""

from __future__ import annotations

import pytest

from kctl.errors import KctlError
from kctl.objects.arguments import Words, has_names, read

CATEGORIES = {"all": "pods,deployments.apps"}

UNDERSTOOD = [
    ("", Words()),
    ("cm", Words(types=("cm",))),
    ("cm,secret,cm", Words(types=("cm", "secret"))),
    ("all,cm", Words(types=("pods", "deployments.apps", "cm"))),
    ("cm a b", Words(types=("cm",), names=("a", "b"))),
    ("cm,secret a b", Words(pairs=(("cm", "a"), ("cm", "b"), ("secret", "a"), ("secret", "b")))),
    ("cm/a deploy.apps/b", Words(pairs=(("cm", "a"), ("deploy.apps", "b")))),
    ("all/a", Words(pairs=(("all", "a"),))),
]


@pytest.mark.parametrize(("line", "words"), UNDERSTOOD, ids=[line for line, _ in UNDERSTOOD])
def test_words_are_types_with_names_or_pairs(line: str, words: Words) -> None:
    assert read(line.split(), lambda one: CATEGORIES.get(one, one)) == words


REFUSED = [
    ("cm/a/b", "arguments in resource/name form may not have more than one slash"),
    ("cm/", "arguments in resource/name form must have a single resource and name"),
    ("/", "arguments in resource/name form must have a single resource and name"),
    ("cm,secret/a", "arguments in resource/name form must have a single resource and name"),
    ("cm/a secret b", "there is no need to specify a resource type as a separate argument"),
]


@pytest.mark.parametrize(("line", "beginning"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_can_not_be_meant_is_refused(line: str, beginning: str) -> None:
    with pytest.raises(KctlError) as refusal:
        read(line.split(), lambda one: one)
    assert str(refusal.value).startswith(beginning)


@pytest.mark.parametrize(("line", "expected"), [("cm", False), ("cm,secret", False), ("cm a", True), ("cm/a", True)])
def test_names_are_told_from_types(line: str, expected: bool) -> None:  # noqa: FBT001 - a table
    assert has_names(line.split()) is expected
