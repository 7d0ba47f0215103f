"""One namespace for all tests of a file: most of what they make is never sent."""

from __future__ import annotations

import uuid

import pytest

from tests.e2e.kctl.desk import Desk
from tests.e2e.up.machine import Machine


@pytest.fixture(scope="module")
def maker(plane: Machine, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    name = f"maker-{uuid.uuid4().hex[:8]}"
    done = plane.kctl("create", "namespace", name)
    assert done.code == 0, done.stderr
    return Desk(plane, name, tmp_path_factory.mktemp("maker"))
