"""A namespace for each test, and the kubectl that a newcomer has, speaking to the plane that all tests here share."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from tests.e2e.examples.kubectl import Kubectl, kubectls
from tests.e2e.up.machine import Machine

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def kubectl_program() -> Path:
    if found := kubectls():
        return found[0]
    pytest.skip("no kubectl on PATH or in .tools: run `make kubectl`")


@pytest.fixture
def anywhere(kubectl_program: Path, plane: Machine, tmp_path: Path) -> Kubectl:
    """For what belongs to no namespace."""
    return Kubectl(kubectl_program, plane.kubeconfig, tmp_path)


@pytest.fixture
def kubectl(kubectl_program: Path, plane: Machine, tmp_path: Path) -> Kubectl:
    """In a namespace that no other test uses."""
    here = Kubectl(kubectl_program, plane.kubeconfig, tmp_path, namespace=f"test-{next(_NUMBERS)}")
    here.ok("create", "namespace", here.namespace)
    return here
