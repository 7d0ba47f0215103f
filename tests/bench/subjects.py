"""The objects that are stored, and the two ways to the store that are compared."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.cacher.storage import CachedStorage
from localplane.compose.options import StorageKind, StorageOptions
from localplane.compose.storage import OpenStorage, open_storage

PREFIX = "/configmaps/"

BARE_ROOT = "/unwatched"
"""Beside the registry's root: what is written here never reaches the cache, so that it costs what the store costs."""

_NAMESPACE = uuid.UUID("8b0f6c3e-52a1-4d0b-9d57-0c1b7a0f4c11")
_FILLING = 700


def config_map(name: str) -> JSONObject:
    """An object of about 1 KB, most of it in its data."""
    return {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": str(uuid.uuid5(_NAMESPACE, name)),
            "creationTimestamp": "2025-01-01T00:00:00Z",
            "labels": {"app": "bench", "tier": "storage"},
            "annotations": {"example.com/owner": "nobody in particular"},
        },
        "data": {"turn": "0", "filling": (name * _FILLING)[:_FILLING]},
    }


def key_of(name: str) -> str:
    """The key below the registry's root, or below BARE_ROOT."""
    return f"{PREFIX}default/{name}"


@asynccontextmanager
async def storage(kind: StorageKind, directory: Path) -> AsyncIterator[OpenStorage]:
    async with open_storage(StorageOptions(kind=kind, data_dir=directory)) as opened:
        yield opened


def config_maps(opened: OpenStorage) -> CachedStorage:
    return opened.cacher.resource(PREFIX)


async def seed(kind: StorageKind, directory: Path, *, objects: int) -> None:
    """Leave a directory with that many objects in it."""
    async with storage(kind, directory) as opened:
        target = config_maps(opened)
        names = iter([f"seeded-{number:06}" for number in range(objects)])

        async def work() -> None:
            for name in names:
                await target.create(key_of(name), config_map(name))

        async with asyncio.TaskGroup() as group:
            for _ in range(64):
                group.create_task(work())
