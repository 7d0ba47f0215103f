"""File names with wildcards, as Go matches them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kctl.objects.arguments import BadPattern, matching

FILES = ("a.yaml", "b.yaml", ".hidden.yaml", "a-b.yaml", "x*y", "d/c.yaml", "e/c.yaml")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.yaml", [".hidden.yaml", "a-b.yaml", "a.yaml", "b.yaml"]),
        ("?.yaml", ["a.yaml", "b.yaml"]),
        ("[a-b].yaml", ["a.yaml", "b.yaml"]),
        ("[^a].yaml", ["b.yaml"]),
        ("x\\*y", ["x*y"]),
        ("*/c.yaml", ["d/c.yaml", "e/c.yaml"]),
        ("d/*", ["d/c.yaml"]),
        ("./d/*.yaml", ["d/c.yaml"]),
        ("nope*", []),
    ],
)
def test_a_pattern_finds_what_go_would_find(pattern: str, found: list[str]) -> None:
    assert matching(pattern) == found


@pytest.mark.parametrize("pattern", ["[", "[a", "[]a]", "a[", "[-]", "a\\", "[a-]"])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern, match="syntax error in pattern"):
        matching(pattern)
