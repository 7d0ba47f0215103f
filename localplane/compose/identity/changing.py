"""A renewal of keys, or its end, of a server that runs: in etcd if they are a cluster's, else in its directory."""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from localplane.apimachinery.errors import Conflict
from localplane.apiserver.storage.errors import StorageError

from .keys import ClusterKeys, KeysIncomplete, RenewalState
from .record import Identities, IdentityUnusable

_log = logging.getLogger(__name__)


async def change_keys(identities: Identities | None, directory: Path, what: str) -> None:
    """`what` is `renew` or `retire`. What is changed counts from the next start on. Raises Conflict where there is
    nothing to do, and StorageErrors."""
    try:
        if identities is None:
            await asyncio.to_thread(lambda: _changed(ClusterKeys.read(directory), what).write(directory))
        else:
            await _change_shared(identities, what)
    except (KeysIncomplete, RenewalState) as error:
        raise Conflict(str(error)) from error


async def _change_shared(identities: Identities, what: str) -> None:
    record = await identities.read()
    if record is None:
        raise IdentityUnusable(f"the key {identities.key} of etcd is gone: start a server again, which puts it back")
    wanted = replace(record, keys=await asyncio.to_thread(_changed, record.keys, what))
    if (await identities.write(wanted)).keys != wanted.keys:
        raise Conflict(
            "somebody else has changed the cluster's keys at the same time: look at them with `kctl certs show`"
        )


async def changed_elsewhere(
    identities: Identities, *, every: timedelta = timedelta(seconds=10), spread: timedelta = timedelta(seconds=10)
) -> None:
    """Returns when another server has changed the keys that this one runs with; not in all servers at the same moment,
    because each of them begins again."""
    while True:
        await asyncio.sleep(every.total_seconds())
        try:
            record = await identities.read()
        except StorageError as error:
            _log.debug("the cluster's keys can't be read: %s", error)
            continue
        if record is not None and record.keys != identities.installed:
            await asyncio.sleep(random.uniform(0, spread.total_seconds()))  # noqa: S311 - no secret
            return


def _changed(keys: ClusterKeys, what: str) -> ClusterKeys:
    return keys.renew(datetime.now(UTC)) if what == "renew" else keys.retire()
