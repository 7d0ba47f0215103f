"""One wardle server for all tests of a process, on a real etcd where there is one, and a namespace for each test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, find_etcd
from tests.e2e.examples.kubectl import Kubectl, kubectls
from tests.e2e.examples.serving import WARDLE, Serving, serving

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def etcd() -> Path:
    try:
        return find_etcd().path
    except EtcdNotFound as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def kubectl_program() -> Path:
    if found := kubectls():
        return found[0]
    pytest.skip("no kubectl on PATH or in .tools: run `make kubectl`")


@pytest.fixture(scope="session")
def wardle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    try:
        store = ("--etcd", str(find_etcd().path))
    except EtcdNotFound:
        store = ("--storage", "sqlite")
    with serving(WARDLE, *store, home=tmp_path_factory.mktemp("wardle")) as server:
        yield server


@pytest.fixture(scope="session")
def http(wardle: Serving) -> Iterator[httpx.Client]:
    with wardle.http() as client:
        yield client


@pytest.fixture
def namespace() -> str:
    return f"test-{next(_NUMBERS)}"


@pytest.fixture
def kubectl(kubectl_program: Path, wardle: Serving, tmp_path: Path, namespace: str) -> Kubectl:
    """Speaks to the wardle server, in a namespace that no other test uses."""
    return Kubectl(kubectl_program, wardle.kubeconfig, tmp_path, namespace)


@dataclass(frozen=True, slots=True)
class Flunders:
    """The flunders of a namespace over plain HTTP, for what kubectl would not send."""

    http: httpx.Client
    namespace: str

    def path(self, version: str, name: str = "") -> str:
        collection = f"/apis/wardle.example.com/{version}/namespaces/{self.namespace}/flunders"
        return f"{collection}/{name}" if name else collection

    def post(self, version: str, name: str, spec: Any) -> httpx.Response:
        return self.http.post(self.path(version), json=flunder(version, name, spec))

    def put(self, version: str, name: str, body: dict[str, Any]) -> httpx.Response:
        return self.http.put(self.path(version, name), json=body)

    def get(self, version: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(self.path(version, name)).raise_for_status().json()
        return found


def flunder(version: str, name: str, spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"wardle.example.com/{version}",
        "kind": "Flunder",
        "metadata": {"name": name},
        "spec": spec,
    }


@pytest.fixture
def flunders(http: httpx.Client, namespace: str) -> Flunders:
    return Flunders(http, namespace)
