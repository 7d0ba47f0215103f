"""Taints as they are typed."""

from __future__ import annotations

import pytest

from kctl.changes.nodes.taints import changed, conflicts, read
from kctl.errors import KctlError

OLD = [{"key": "a", "value": "1", "effect": "NoSchedule"}, {"key": "a", "effect": "NoExecute"}]


def test_a_new_taint_comes_first() -> None:
    done, taints = changed(OLD, read(["b=2:NoSchedule"]), overwrite=False)
    assert done == "tainted"
    assert taints == [{"key": "b", "value": "2", "effect": "NoSchedule"}, *OLD]


REMOVED = [("a:NoExecute-", OLD[:1]), ("a-", [])]


@pytest.mark.parametrize(("word", "left"), REMOVED, ids=[word for word, _ in REMOVED])
def test_a_taint_is_removed_with_its_effect_or_all_of_its_key(word: str, left: list[dict[str, str]]) -> None:
    assert changed(OLD, read([word]), overwrite=False) == ("untainted", left)


def test_a_taint_that_is_not_there_can_not_be_removed() -> None:
    with pytest.raises(KctlError, match=r'^taint "zz:NoSchedule" not found$'):
        changed(OLD, read(["zz:NoSchedule-"]), overwrite=False)


def test_a_taint_can_not_be_added_and_removed_at_once() -> None:
    assert conflicts(read(["a=1:NoSchedule", "a-"])) == ["a="]
    assert conflicts(read(["a=1:NoSchedule", "a:NoExecute-"])) == []


REFUSED = [
    ("a=b", "invalid taint spec: a=b"),
    ("a=b:Soon", "invalid taint effect: Soon, unsupported taint effect"),
    ("a:b:c", "invalid taint spec: a:b:c"),
    ("a=b=c:NoSchedule", "invalid taint spec: a=b=c:NoSchedule"),
]


@pytest.mark.parametrize(("word", "message"), REFUSED, ids=[word for word, _ in REFUSED])
def test_a_word_that_is_no_taint_is_refused(word: str, message: str) -> None:
    with pytest.raises(KctlError) as refused:
        read([word])
    assert str(refused.value).startswith(message)
