"""requirements-dev.lock, which CI installs, has a version for everything that pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_ROOT = Path(__file__).parents[2]
_PIN = re.compile(r"(?m)^([\w.-]+)==([^\s;]+)(?: ;.*?)? \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+")
_PINS = {canonicalize_name(pin[1]): pin[2] for pin in _PIN.finditer((_ROOT / "requirements-dev.lock").read_text())}


def _asked_for() -> Iterator[str]:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())
    yield from project["project"]["dependencies"]
    yield from project["dependency-groups"]["dev"]
    yield from project["build-system"]["requires"]


@pytest.mark.parametrize("text", [*_asked_for()], ids=lambda text: Requirement(text).name)
def test_what_is_asked_for_is_locked_at_a_version_that_does(text: str) -> None:
    requirement = Requirement(text)
    version = _PINS.get(canonicalize_name(requirement.name), "")
    assert version, "`make lock` chooses a version"
    assert requirement.specifier.contains(version), "`make lock` chooses another version"


def test_every_version_has_its_hashes() -> None:
    lines = (_ROOT / "requirements-dev.lock").read_text().splitlines()
    assert len(_PINS) == sum("==" in line.partition(";")[0] for line in lines if not line.startswith((" ", "#")))
