"""What snapshots need to know of the servers that are put together here."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.storage.archive import Archive, Lifetimes, NotEmpty, begin
from localplane.apiserver.storage.backend import Backend
from localplane.apiserver.storage.cacher import Cacher
from localplane.apiserver.storage.data_directory import DataDirectoryUnusable
from localplane.apiserver.storage.snapshot import Snapshot

from .election import LEASES

OWN: Final = frozenset(
    {
        "/configmaps/kube-system/extension-apiserver-authentication",
        "/endpointslices/default/kubernetes",
        "/services/endpoints/default/kubernetes",
        *(f"/leases/kube-system/{name}" for name in LEASES),
    }
)
"""What tells of a plane itself, its address, whom it trusts and who leads: it is made at every start, and stays where
it is."""

_PASSING: Final[Lifetimes] = {"/masterleases/": timedelta(seconds=15)}
"""Who lives says so again, and who does not is soon forgotten."""
_LIFETIMES: Final[Lifetimes] = {"/events/": timedelta(hours=1), **_PASSING}


def archive_of(cacher: Cacher, installer: Installer) -> Archive:
    """Of a server that runs."""

    def lifetimes() -> Lifetimes:
        definitions = installer.definitions()
        told = {each.prefix: each.strategy.ttl for each in definitions if each.strategy.ttl is not None}
        return {**told, **_PASSING}

    return Archive(cacher, own=OWN, lifetimes=lifetimes)


def stored_archive(cacher: Cacher) -> Archive:
    """Of a cluster's store without a server."""
    return Archive(cacher, own=OWN, lifetimes=lambda: _LIFETIMES)


async def begin_with(backend: Backend, snapshot: Snapshot, root: str) -> None:
    """For a cluster that is new. Raises DataDirectoryUnusable."""
    try:
        await begin(backend, snapshot, root, own=OWN, lifetimes=_LIFETIMES)
    except NotEmpty as error:
        raise DataDirectoryUnusable(
            "there is a cluster already, and --from is for a new one: choose another --name, "
            "or put this one back with `kctl snapshot restore`"
        ) from error
