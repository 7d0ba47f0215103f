"""Edited files, apart from their comments."""

from __future__ import annotations

import pytest

from kctl.changes.edit.loop import has_lines, meaning, without_comments


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a: 1\nb: 2\n", "# c\nb: 2\na:   1\n", True),
        ("a: '1'\n", 'a: "1"\r\n', True),
        ("a: 1\n", "a: '1'\n", False),
        ("a: true\n", "a: 1\n", False),
        ("a: [\n", "# c\na: [\n", True),
        ("a: [\n", "a: {\n", False),
    ],
)
def test_files_that_say_the_same_mean_the_same(one: str, other: str, same: bool) -> None:  # noqa: FBT001 - a table
    assert (meaning(one) == meaning(other)) is same


def test_comments_go_wherever_they_are_but_a_scripts_first_line_stays() -> None:
    assert without_comments("# a\nb: 1\n  # c\n#!x\n") == "b: 1\n#!x\n"


@pytest.mark.parametrize(("text", "expected"), [("", False), ("\n # x\n", False), ("# x\na\n", True)])
def test_a_file_of_comments_is_empty(text: str, expected: bool) -> None:  # noqa: FBT001 - a table
    assert has_lines(text) is expected
