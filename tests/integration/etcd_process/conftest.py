"""A real etcd on a real directory; skipped where there is none."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

import pytest

from localplane.apiserver.storage.data_directory import DataDirectory
from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, find_etcd
from localplane.apiserver.storage.etcd.program.health import EtcdHealth, EtcdOptions, State
from localplane.apiserver.storage.etcd.program.supervisor import EtcdSupervisor
from tests.integration.etcd_process.answering import answers
from tests.integration.etcd_process.watched import Watched

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from localplane.apiserver.storage.etcd.program.health import Probe


@pytest.fixture(scope="session")
def binary() -> Path:
    try:
        return find_etcd().path
    except EtcdNotFound as error:
        pytest.skip(str(error))


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[DataDirectory]:
    with DataDirectory(tmp_path / "data", command="a test") as directory:
        yield directory


class Make(Protocol):
    def __call__(
        self, *, binary: Path | None = None, probe: Probe = answers, options: EtcdOptions | None = None
    ) -> Watched: ...


@pytest.fixture
def make(binary: Path, directory: DataDirectory) -> Make:
    """Builds a supervisor that has not been started."""
    default = binary

    def make(*, binary: Path | None = None, probe: Probe = answers, options: EtcdOptions | None = None) -> Watched:
        said: asyncio.Queue[EtcdHealth] = asyncio.Queue()
        etcd = EtcdSupervisor(
            binary=binary or default,
            version="0",
            data_directory=directory,
            probe=probe,
            options=options or EtcdOptions(start_within=timedelta(seconds=10)),
            on_change=[said.put_nowait],
        )
        return Watched(etcd, said)

    return make


class Run(Protocol):
    def __call__(self, *, options: EtcdOptions | None = None) -> AbstractAsyncContextManager[Watched]: ...


@pytest.fixture
def run(make: Make) -> Run:
    """A supervisor whose etcd is ready."""

    @asynccontextmanager
    async def run(*, options: EtcdOptions | None = None) -> AsyncIterator[Watched]:
        watched = make(options=options)
        async with watched.etcd:
            await watched.until(State.READY)
            yield watched

    return run
