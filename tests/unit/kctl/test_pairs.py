"""`key=value` and `key-` on a command line."""

from __future__ import annotations

import pytest

from kctl.changes.metadata import Changes, Words, parse, split
from kctl.errors import KctlError


def test_resources_come_before_pairs() -> None:
    assert split(["cm", "a", "k=v", "gone-"], "label") == Words(("cm", "a"), ("k=v", "gone-"))
    assert split(["cm", "-", "=x"], "label") == Words(("cm", "-", "=x"), ())
    with pytest.raises(KctlError, match="all resources must be specified before label changes: b"):
        split(["cm", "k=v", "b"], "label")


def test_the_first_equals_sign_separates() -> None:
    assert parse(["a=b=c", "d-", "e="]) == Changes({"a": "b=c", "e": ""}, ("d",))
