from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, find_etcd
from tests.e2e.up.machine import Machine, machine


@pytest.fixture(scope="session")
def etcd() -> str:
    try:
        return str(find_etcd().path)
    except EtcdNotFound as error:
        pytest.skip(str(error))


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Machine]:
    """A machine with no etcd and no plane."""
    with machine(tmp_path) as found:
        yield found
