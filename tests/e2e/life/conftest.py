"""A cluster that lives, as `kctl up` starts it, and the two programs that people use on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from tests.e2e.examples.kubectl import Kubectl, kubectls
from tests.e2e.up.machine import Machine, machine, until

_NUMBERS = count(1)
_PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Tool:
    """kubectl or kctl, in a namespace that no other test uses."""

    namespace: str
    run: Callable[..., tuple[int, str, str]]

    def __call__(self, *arguments: str) -> str:
        """What it printed. It must succeed."""
        code, stdout, stderr = self.run(*arguments)
        assert code == 0, (arguments, stdout, stderr)
        return stdout

    def value(self, resource: str, path: str) -> str:
        """A jsonpath of an object, or of all of a kind."""
        return self("get", resource, "-o", f"jsonpath={{{path}}}")

    def until(self, resource: str, path: str, wanted: Callable[[str], object]) -> str:
        """Wait until a jsonpath is so."""
        found = ""

        def is_so() -> object:
            nonlocal found
            found = self.value(resource, path)
            return wanted(found)

        until(is_so, _PATIENCE, lambda: f"{resource} {path} stays {found!r}")
        return found


@pytest.fixture(scope="session")
def living(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """With three nodes, and a clock that tests advance."""
    with machine(tmp_path_factory.mktemp("living")) as here:
        here.up("--ephemeral", "--storage", "memory", "--nodes", "3", "--own-clock")
        yield here


def _kubectl(living: Machine, home: Path, namespace: str) -> Tool:
    if not (programs := kubectls()):
        pytest.skip("no kubectl on PATH or in .tools: run `make kubectl`")
    kubectl = Kubectl(programs[0], living.kubeconfig, home, namespace=namespace)

    def run(*arguments: str) -> tuple[int, str, str]:
        done = kubectl(*arguments)
        return done.code, done.stdout, done.stderr

    return Tool(namespace, run)


def _kctl(living: Machine, namespace: str) -> Tool:
    def run(*arguments: str) -> tuple[int, str, str]:
        done = living.kctl("--namespace", namespace, *arguments)
        return done.code, done.stdout, done.stderr

    return Tool(namespace, run)


@pytest.fixture(params=["kubectl", "kctl"])
def tool(request: pytest.FixtureRequest, living: Machine, tmp_path: Path) -> Tool:
    namespace = f"life-{next(_NUMBERS)}"
    assert living.kctl("create", "namespace", namespace).code == 0
    return _kubectl(living, tmp_path, namespace) if request.param == "kubectl" else _kctl(living, namespace)


@pytest.fixture
def kctl(living: Machine) -> Tool:
    """For what one of the two has shown."""
    namespace = f"life-{next(_NUMBERS)}"
    assert living.kctl("create", "namespace", namespace).code == 0
    return _kctl(living, namespace)
