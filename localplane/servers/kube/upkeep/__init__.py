"""What kube-apiserver itself keeps up while it runs, whatever controllers there are.

    flow_schemas      which of them are in force, for the filters, and in their own status
    identity_lease    who this server is, and which others are gone
    service_cidr      the range that services have from the beginning is ready
    server_endpoints  where this server and its companions are found

`run` does all of it until it is cancelled, but for the last, which is for several servers only. It waits for changes
and looks at the rest every few minutes: a server that nobody uses writes next to nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from localplane.apimachinery.clock.waiting import sleep
from localplane.apimachinery.errors import APIError
from localplane.apiserver.flow_control import FlowSchemas
from localplane.client import Client, ClientError, SharedInformerFactory

from .flow_schemas import FlowSchemaStatuses
from .identity_lease import IdentityLease
from .service_cidr import confirm_default

_log = logging.getLogger(__name__)

# Kubernetes renews every ten seconds a lease that lasts an hour; this often is enough for that, and is no load.
_ROUND: Final = timedelta(minutes=5)
_NEXT_TRY: Final = timedelta(seconds=10)

__all__ = ["run"]


async def run(
    client: Client, informers: SharedInformerFactory, schemas: FlowSchemas, *, service_cidrs: Sequence[str]
) -> None:
    """Until it is cancelled. `schemas` are those that the filters ask, and `service_cidrs` what services have."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(FlowSchemaStatuses(client, informers, schemas).run())
        tasks.create_task(_rounds(client, service_cidrs))


async def _rounds(client: Client, service_cidrs: Sequence[str]) -> None:
    lease = IdentityLease(client)
    while True:
        pause = _ROUND
        try:
            await confirm_default(client, service_cidrs)
            await lease.renew()
            await lease.remove_expired()
        except (APIError, ClientError) as error:
            _log.info("the upkeep is tried again: %s", error)
            pause = _NEXT_TRY
        await sleep(pause, is_upkeep=True)
