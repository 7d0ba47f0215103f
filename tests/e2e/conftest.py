from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.e2e.command_line import Outcome, kctl

Kctl: TypeAlias = Callable[..., Outcome]


@pytest.fixture
def run_kctl(tmp_path: Path) -> Kctl:
    """Run kctl as a user with an empty home; keywords are variables of its environment."""

    def run(*arguments: str, **environ: str) -> Outcome:
        return kctl(*arguments, home=tmp_path, environ=environ)

    return run
