"""README is true: its commands and programs run, its pictures show what there is, its versions are those in use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.command_line import ROOT
from tests.e2e.guides import pictures
from tests.e2e.guides.blocks import blocks
from tests.e2e.guides.reader import Reader
from tests.e2e.terminal import needs_tmux
from tests.e2e.up.machine import machine

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_it_tells_to_type_works(tmp_path: Path) -> None:
    """Files first: a reader may save them in any order before the command that needs them."""
    shown = list(blocks(README))
    with machine(tmp_path / "home") as here:
        reader = Reader(here.home, tmp_path / "work")
        for block in sorted(shown, key=lambda block: not block.file):
            reader.follow(block)
        assert reader.said.count("is up") == 2
        assert " is served at https://" in reader.said


def test_one_block_can_not_be_run_and_the_archives_tests_do_what_it_says() -> None:
    (left,) = (block for block in blocks(README) if not block.runs)
    assert left.text.startswith("pip install .")


def test_every_guide_that_is_named_is_there_and_so_are_pictures_and_links() -> None:
    from kctl.guides import GUIDES

    named = set(re.findall(r"`kctl guide (\w[\w-]*)`", README))
    assert named <= {guide.name for guide in GUIDES}
    assert len(named) > 10
    for target in re.findall(r"\]\(([\w./]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("package", ["kubernetes", "kopf", "kr8s", "lightkube", "pytest"])
def test_versions_that_it_names_are_those_that_are_tried(package: str) -> None:
    locked = re.search(rf"^{package}==(\S+)", (ROOT / "requirements-dev.lock").read_text(), re.MULTILINE)
    told = re.search(rf"^\| {package}(?: \(Python\))? \| (\S+) \|", README, re.MULTILINE)
    assert locked is not None
    assert told is not None
    assert told[1] == locked[1]


@needs_tmux
def test_pictures_show_what_is_to_be_seen() -> None:
    """If not: `make guides` takes them anew."""
    with pictures.studio() as room:
        for picture in pictures.PICTURES:
            kept = (pictures.FOLDER / f"{picture.name}.svg").read_text(encoding="utf-8")
            taken = pictures.svg(picture, room.take(picture))
            assert pictures.shape(pictures.lines_of(kept)) == pictures.shape(pictures.lines_of(taken))
