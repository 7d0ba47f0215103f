"""Every guide is listed and works as it stands: its files are saved, its commands and programs run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kctl import guides
from kctl.guides import GUIDES, Guide
from tests.e2e.guides.blocks import blocks
from tests.e2e.guides.reader import Reader
from tests.e2e.up.machine import Machine, machine

FOLDER = Path(guides.__file__).parent
OWN_PLANES = ("upgrading", "uninstalling")
"""Guides that stop the plane that others use."""
MOST_BLOCKS_NOT_RUN = 8


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine with a plane, which is empty again for each guide."""
    with machine(tmp_path_factory.mktemp("guides")) as here:
        here.up("--ephemeral", "--storage", "memory")
        assert here.kctl("snapshot", "save", "empty").code == 0
        yield here


@pytest.fixture
def place(shared: Machine, guide: Guide, tmp_path: Path) -> Iterator[Reader]:
    if guide.name in OWN_PLANES:
        with machine(tmp_path / "home") as own:
            yield Reader(own.home, tmp_path / "work")
        return
    yield Reader(shared.home, tmp_path / "work")
    assert shared.kctl("faults", "rm", "--all").code == 0
    assert shared.kctl("snapshot", "restore", "empty").code == 0


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_it_works_as_it_stands(guide: Guide, place: Reader) -> None:
    for block in blocks(Path(guides.path_of(guide)).read_text(encoding="utf-8")):
        place.follow(block)
    if guide.name == "ci":
        assert json.loads((place.directory / "kctl.sarif").read_bytes())["runs"][0]["results"] == []
        assert (place.directory / "github.env").read_text().startswith("KUBECONFIG=/")
        assert (place.directory / "plane.log").exists()
        assert place.said.count(": valid\n") == 2


def test_each_file_is_a_guide_and_each_guide_is_a_file() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.md")) == sorted(guide.name for guide in GUIDES)


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_it_is_short_and_has_a_title(guide: Guide) -> None:
    text = guides.text_of(guide)
    assert text.startswith("# ")
    if not guide.name.endswith("-reference"):
        assert len(text.splitlines()) <= 150
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert [line for line in prose.splitlines() if len(line) > 130 and not line.startswith("|")] == []


def test_few_blocks_can_not_be_run() -> None:
    left = [
        (path.stem, block.line) for path in FOLDER.glob("*.md") for block in blocks(path.read_text()) if not block.runs
    ]
    assert len(left) <= MOST_BLOCKS_NOT_RUN, left
