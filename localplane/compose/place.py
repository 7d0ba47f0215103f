"""Where a server lives: what it stores its objects in, and a directory for what it keeps beside it."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from localplane.apiserver.server.options import InvalidOptions

from .storage import OpenStorage, StorageKind, StorageOptions, default_data_dir, open_storage


@dataclass(frozen=True, slots=True)
class Place:
    """The directory may be a temporary one."""

    storage: OpenStorage
    directory: Path


@asynccontextmanager
async def open_place(options: StorageOptions) -> AsyncIterator[Place]:
    with ExitStack() as stack:
        async with open_storage(options) as storage:
            directory = storage.data_dir
            if directory is None:
                directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="localplane-")))
            yield Place(storage, directory)


def storage_named(storage: StorageOptions, name: str) -> StorageOptions:
    """With a data directory of that name where one is needed: servers don't share by accident. Raises InvalidOptions
    for a name that no directory can have."""
    if "/" in name or name in (".", ".."):
        raise InvalidOptions([f"{name!r} can't be a server's name, because a directory can't be called so"])
    if storage.data_dir is None and storage.kind is not StorageKind.MEMORY and not storage.etcd_servers:
        return replace(storage, data_dir=default_data_dir(name))
    return storage
