from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.e2e.command_line import Outcome, kctl
from tests.e2e.up.machine import WITHOUT_WORKLOADS, Machine, machine

Kctl: TypeAlias = Callable[..., Outcome]


@pytest.fixture
def run_kctl(tmp_path: Path) -> Kctl:
    """Run kctl as a user with an empty home; keywords are variables of its environment."""

    def run(*arguments: str, **environ: str) -> Outcome:
        return kctl(*arguments, home=tmp_path, environ=environ)

    return run


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """One plane for every test that only needs an API: nothing moves in it but what a test moves."""
    with machine(tmp_path_factory.mktemp("plane")) as here:
        here.up("--ephemeral", "--storage", "memory", *WITHOUT_WORKLOADS)
        yield here
