"""What a whole server says about itself at /metrics."""

from __future__ import annotations

from pathlib import Path

from localplane.client import GroupVersionResource
from localplane.library import (
    APIGroup,
    PlaneOptions,
    Resource,
    ServerOptions,
    StorageKind,
    StorageOptions,
    Version,
    open_plane,
)

NOTES = APIGroup("example.com", [Resource("notes", kind="Note", versions=[Version("v1"), Version("v1beta1")])])


async def metrics_after_one_note(kind: StorageKind, directory: Path, *, reads: int = 1) -> list[str]:
    storage = StorageOptions(kind=kind, data_dir=directory)
    async with open_plane([NOTES], PlaneOptions(storage=storage, server=ServerOptions(port=0))) as plane:
        notes = plane.client.resource(GroupVersionResource("example.com", "v1", "notes"), "default")
        await notes.create({"apiVersion": "example.com/v1", "kind": "Note", "metadata": {"name": "a"}})
        for _ in range(reads):
            await notes.get("a")
        return plane.server.metrics.render().decode().splitlines()


async def test_stored_objects_and_the_cache_are_counted_once_however_many_versions(tmp_path: Path) -> None:
    lines = await metrics_after_one_note(StorageKind.SQLITE, tmp_path)
    objects = [line for line in lines if line.startswith("apiserver_storage_objects{")]
    assert objects == ['apiserver_storage_objects{group="example.com",resource="notes"} 1']
    assert "apiserver_watch_cache_objects 1" in lines
    assert "apiserver_watch_cache_events 1" in lines
    assert "apiserver_registered_watchers 0" in lines


async def test_the_latency_of_etcd_is_told_and_a_cached_read_does_not_add_to_it(tmp_path: Path) -> None:
    lines = await metrics_after_one_note(StorageKind.ETCD, tmp_path, reads=100)
    counts = [line for line in lines if line.startswith("etcd_request_duration_seconds_count{")]
    calls = {operation: _calls(counts, operation) for operation in ("Txn", "Range")}
    assert calls["Txn"] >= 1
    assert calls["Range"] < 10, "the compactor asks now and then, a cached read never"


def _calls(counts: list[str], operation: str) -> int:
    return sum(int(line.rpartition(" ")[2]) for line in counts if f'operation="{operation}"' in line)
