"""Data was lost, and somebody goes on with what is left: at once, and with numbers that nobody has seen."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from localplane.apiserver.storage.errors import ResourceVersionTooOld, StorageError
from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, find_etcd
from localplane.apiserver.storage.high_water import DataWentBack
from localplane.apiserver.storage.interface import EventType, ListOptions, WatchOptions
from localplane.compose.options import StorageKind, StorageOptions
from localplane.compose.storage import OpenStorage, open_storage

PREFIX = "/configmaps/"
FAR = 10_000_000


@pytest.fixture(params=[StorageKind.ETCD, StorageKind.SQLITE])
def options(request: pytest.FixtureRequest, tmp_path: Path) -> StorageOptions:
    if request.param is StorageKind.ETCD:
        try:
            find_etcd()
        except EtcdNotFound as error:
            pytest.skip(str(error))
    return StorageOptions(kind=request.param, data_dir=tmp_path / "data")


def accepting(options: StorageOptions) -> StorageOptions:
    return StorageOptions(kind=options.kind, data_dir=options.data_dir, accept_data_loss=True)


async def create(opened: OpenStorage, name: str) -> int:
    metadata = {"name": name, "namespace": "default", "uid": name}
    obj = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata}
    created = await opened.cacher.resource(PREFIX).create(f"{PREFIX}default/{name}", obj)
    return created.revision


async def names(opened: OpenStorage) -> list[str]:
    listed = await opened.cacher.resource(PREFIX).list(PREFIX, ListOptions())
    return [obj.key.rpartition("/")[2] for obj in listed.items]


def claim_to_have_seen(options: StorageOptions, revision: int) -> None:
    assert options.data_dir is not None
    mark = options.data_dir / "high-water.json"
    known = json.loads(mark.read_bytes())
    mark.write_text(json.dumps({**known, "revision": revision}))


async def test_ten_million_lost_revisions_cost_no_more_than_ten(options: StorageOptions) -> None:
    async with open_storage(options) as opened:
        await create(opened, "kept")
    claim_to_have_seen(options, FAR)
    with pytest.raises(DataWentBack):
        async with open_storage(options):
            pass
    async with asyncio.timeout(30), open_storage(accepting(options)) as opened:
        assert await names(opened) == ["kept"]
        accepted = await create(opened, "first")
        assert accepted > FAR
        lost = await opened.cacher.resource(PREFIX).watch(PREFIX, WatchOptions(resource_version=str(FAR)))
        events = [event async for event in lost]
        assert [type(event.error) for event in events if event.type is EventType.ERROR] == [ResourceVersionTooOld]

    async with open_storage(options) as opened:
        assert await names(opened) == ["first", "kept"]
        assert await create(opened, "second") > accepted
        status = await opened.backend.status()
        seen = opened.backend.observed_revision
        now = await opened.backend.current_revision()  # etcd is compacted now and then, which is noted in it
        assert accepted < status.revision <= now
        assert accepted < seen <= now


async def test_data_may_be_lost_again(options: StorageOptions) -> None:
    assert options.data_dir is not None
    highest = 0
    for name in ("a", "b", "c"):
        async with open_storage(accepting(options)) as opened:
            assert await names(opened) == []
            revision = await create(opened, name)
            assert revision > highest
            highest = revision
        shutil.rmtree(options.data_dir / "etcd", ignore_errors=True)
        for file in options.data_dir.glob("sqlite.db*"):
            file.unlink()


async def test_an_accepted_loss_does_not_count_numbers_up_again_at_every_start(options: StorageOptions) -> None:
    async with open_storage(options) as opened:
        await create(opened, "kept")
    claim_to_have_seen(options, FAR)
    seen = []
    for _ in range(3):
        async with open_storage(accepting(options)) as opened:
            seen.append(await opened.backend.current_revision())
    assert seen[-1] - seen[0] < 10


async def test_an_etcd_that_counts_from_a_higher_number_is_used_again_after_it_was_killed(tmp_path: Path) -> None:
    try:
        find_etcd()
    except EtcdNotFound as error:
        pytest.skip(str(error))
    options = StorageOptions(kind=StorageKind.ETCD, data_dir=tmp_path / "data")
    async with open_storage(options) as opened:
        await create(opened, "kept")
    claim_to_have_seen(options, FAR)
    async with open_storage(accepting(options)) as opened:
        before = await create(opened, "before")
        pid = opened.etcd_pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(30):
            while True:
                try:
                    after = await create(opened, "after")
                    break
                except StorageError:
                    await asyncio.sleep(0.02)
        assert before < after < before + 10
