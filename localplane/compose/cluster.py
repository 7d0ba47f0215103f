"""A cluster without machines: the built-in kinds, what a fresh cluster has, and the controllers that keep it so.

This is what `kctl up` runs: `server`, with everything of Kubernetes' own declared. The parts are put together in
`control_plane`, which is imported while the store starts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .home import Home, open_home, storage_named
from .options import ClusterOptions

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    from .server import Plane

SIGNING_KEY = Path("pki", "sa.key")
"""What tokens of service accounts are signed with, below the server's directory."""


@asynccontextmanager
async def open_cluster(options: ClusterOptions | None = None) -> AsyncIterator[Plane]:
    """Ready, with everything that a fresh cluster has, when the block is entered. Raises InvalidOptions before
    anything is started."""
    options = options or ClusterOptions()
    storage = storage_named(options.storage, options.name)
    needs_key = storage.data_dir is None or not (storage.data_dir / SIGNING_KEY).exists()
    loading = asyncio.create_task(asyncio.to_thread(_Parts.load, with_key=needs_key))
    try:
        if options.names_parts:
            (await loading).check(options)
        async with open_home(storage, alone=True) as home, (await loading).open_at(home, options) as plane:
            yield plane
    finally:
        await asyncio.wait([loading])


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a start can do while it waits for the store: import nearly everything, and make a key for a fresh cluster,
    for which Python is not needed."""

    spare_key: RSAPrivateKey | None

    @classmethod
    def load(cls, *, with_key: bool) -> _Parts:
        from localplane.apiserver.server.signing_key import new_signing_key

        with ThreadPoolExecutor(max_workers=1) as beside:
            making = beside.submit(new_signing_key) if with_key else None
            from . import control_plane  # noqa: F401 - the next one who imports it has it

            return cls(making.result() if making else None)

    def check(self, options: ClusterOptions) -> None:
        from .control_plane import wanted_parts

        wanted_parts(options)

    def open_at(self, home: Home, options: ClusterOptions) -> AbstractAsyncContextManager[Plane]:
        from .control_plane import open_cluster_at

        return open_cluster_at(home, options, spare_key=self.spare_key)
