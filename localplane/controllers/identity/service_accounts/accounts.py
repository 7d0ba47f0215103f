"""Every active namespace has a service account called `default`. Kubernetes: serviceaccounts_controller.go."""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.errors import AlreadyExists
from localplane.client import Client, GroupVersionResource, Lister, ListWatch, SharedInformer, WorkQueue
from localplane.controllers.context import ControllerContext
from localplane.controllers.identity.namespaces import NAMESPACES, in_namespace, is_active
from localplane.controllers.worker import hearing, work

SERVICE_ACCOUNTS: Final = GroupVersionResource("", "v1", "serviceaccounts")
_NAME: Final = "default"


async def start(context: ControllerContext) -> None:
    client = context.client_of("service-account-controller")
    queue = WorkQueue[str]()
    namespaces = context.informers.informer(NAMESPACES)
    accounts = SharedInformer(ListWatch(client.resource(SERVICE_ACCOUNTS), field_selector=f"metadata.name={_NAME}"))
    async with accounts:
        await accounts.wait_for_sync()
        controller = _Controller(client, namespaces.lister, accounts.lister)
        with (
            hearing(accounts, lambda account: queue.add(account["metadata"]["namespace"])),
            hearing(namespaces, lambda namespace: queue.add(namespace["metadata"]["name"]), deletions=False),
        ):
            await work(queue, controller.sync)


class _Controller:
    def __init__(self, client: Client, namespaces: Lister, accounts: Lister) -> None:
        self._client = client
        self._namespaces = namespaces
        self._accounts = accounts

    async def sync(self, name: str) -> None:
        if not is_active(self._namespaces.get(name)) or self._accounts.namespaced(name).get(_NAME) is not None:
            return
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": _NAME, "namespace": name}}
        async with in_namespace():
            try:
                await self._client.resource(SERVICE_ACCOUNTS, name).create(account)
            except AlreadyExists:
                return
