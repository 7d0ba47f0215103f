"""A namespace for each test, in the plane that all tests here share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config

from tests.e2e.up.machine import Machine

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def kubeconfig(plane: Machine) -> Path:
    return plane.kubeconfig


@pytest.fixture(scope="session")
def api(kubeconfig: Path) -> Iterator[client.ApiClient]:
    """The official client, for its own test and for what other tests need done beside them."""
    untyped: Any = config
    with untyped.new_client_from_config(str(kubeconfig)) as made:
        yield made


@pytest.fixture(scope="session")
def core(api: client.ApiClient) -> Any:
    """The core group. It takes dictionaries where its annotations say models."""
    return client.CoreV1Api(api)


@pytest.fixture(scope="session")
def apps(api: client.ApiClient) -> Any:
    return client.AppsV1Api(api)


@pytest.fixture
def namespace(core: Any) -> str:
    name = f"clients-{next(_NUMBERS)}"
    core.create_namespace({"metadata": {"name": name}})
    return name
