"""A cluster without machines: the built-in kinds, what a fresh cluster has, and the controllers that keep it so.

This is what `kctl up` runs: `server`, with everything of Kubernetes' own declared. The parts are put together in
`control_plane`, which is imported while the store starts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from localplane.apimachinery.clock.virtual import VirtualClock

from .home import SharedIdentity, open_home, storage_named
from .identity.agreement import agreement_of
from .options import ClusterOptions

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    from .server import Plane

SIGNING_KEY = "sa.key"
"""What tokens of service accounts are signed with, in the directory of the server's keys."""


def open_cluster(
    options: ClusterOptions | None = None, *, clock: VirtualClock | None = None
) -> AbstractAsyncContextManager[Plane]:
    """Ready, with everything that a fresh cluster has, when the block is entered. Raises InvalidOptions before
    anything is started. It goes by `clock`, by one of its own if the options say so, or else by the machine's."""
    options = options or ClusterOptions()
    if clock is None and options.own_clock:
        clock = VirtualClock()
    opened = _opened(options, clock)
    return opened if clock is None else clock.around(opened)


@asynccontextmanager
async def _opened(options: ClusterOptions, clock: VirtualClock | None) -> AsyncIterator[Plane]:
    """What needs no store is done in threads while that starts: nearly everything is imported, and a key is made for a
    fresh cluster, for which Python is not needed.
    """
    storage = storage_named(options.storage, options.name)
    has_key = options.service_accounts.signing_key is not None or (
        storage.data_dir is not None and (storage.data_dir / "pki" / SIGNING_KEY).exists()
    )
    spare_key = asyncio.create_task(asyncio.to_thread(_no_key if has_key else _new_key))
    imported = asyncio.create_task(asyncio.to_thread(import_module, ".control_plane", __package__))
    try:
        if options.names_parts:
            await imported
            from .control_plane import wanted_parts

            wanted_parts(options)
        async with open_home(storage, registers=True, clock=clock, shared=_shared(options, spare_key)) as home:
            await imported
            from .control_plane import open_cluster_at

            async with open_cluster_at(home, options, spare_key=await spare_key) as plane:
                yield plane
    finally:
        await asyncio.wait([imported, spare_key])


def _shared(options: ClusterOptions, spare_key: asyncio.Task[RSAPrivateKey | None]) -> SharedIdentity | None:
    """What a server on an etcd cluster says of itself. Whoever brings all keys in files has no need of others'."""
    if not options.storage.etcd_servers or not options.identity_in_store:
        return None
    return SharedIdentity(agreement_of(options), adopts=options.storage.adopts_objects, spare_key=spare_key)


def _new_key() -> RSAPrivateKey:
    from localplane.apiserver.server.certificates.signing_key import new_signing_key

    return new_signing_key()


def _no_key() -> None:
    """There is one already."""
