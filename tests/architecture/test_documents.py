"""Documents name modules and folders that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`([a-z_]+(?:/[a-z_]+)+)(?:\.py|\.json|/)?(?:\.[a-zA-Z_]+)?`")
"""`server/chain`, `compose/options.py`, `filters/`, `changes/apply/application.Applying`."""


@pytest.fixture(scope="module")
def paths() -> set[str]:
    """All that could be meant: every path, and every end of one."""
    files = [
        file.relative_to(ROOT)
        for top in ("kctl", "localplane", "tests", "examples")
        for file in (ROOT / top).rglob("*")
    ]
    whole = {("/" + str(file.with_suffix(""))) for file in files if "__pycache__" not in file.parts}
    return {path[start + 1 :] for path in whole for start in range(len(path)) if path[start] == "/"}


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md", "DECISIONS.md", "README.md"])
def test_what_a_document_names_is_there(document: str, paths: set[str]) -> None:
    assert sorted(set(NAMED.findall((ROOT / document).read_text(encoding="utf-8"))) - paths) == []
