"""An operator without a framework: `kubectl apply -f examples/crd/websites.yaml; python examples/crd/websites.py`.

It keeps a Deployment for each Website, in whatever cluster the current context names, and tells in the status whether
it is there. The Deployment belongs to its Website, so that the cluster takes it away with it.
"""

from __future__ import annotations

import asyncio
from typing import Any

from localplane.apimachinery.errors import APIError, NotFound
from localplane.client import (
    Client,
    ClientError,
    GroupVersionResource,
    HandlerFunctions,
    PatchType,
    SharedInformerFactory,
    WorkQueue,
    deleted_object,
    object_key,
    split_key,
)
from localplane.client.kubeconfig import load, resolve

WEBSITES = GroupVersionResource("example.com", "v1", "websites")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")


class Operator:
    def __init__(self, client: Client, informers: SharedInformerFactory) -> None:
        self.client = client
        self.websites, self.deployments = informers.informer(WEBSITES), informers.informer(DEPLOYMENTS)
        self.queue = WorkQueue[str]()
        for informer in (self.websites, self.deployments):  # a Deployment has its Website's name
            informer.add_handler(
                HandlerFunctions(
                    add=self.enqueue,
                    update=lambda _, new: self.enqueue(new),
                    delete=lambda obj: self.enqueue(deleted_object(obj)),
                )
            )

    def enqueue(self, obj: dict[str, Any]) -> None:
        self.queue.add(object_key(obj))

    async def run(self) -> None:
        await self.websites.wait_for_sync()
        await self.deployments.wait_for_sync()
        while True:
            key = await self.queue.get()
            try:
                await self.reconcile(key)
            except (APIError, ClientError):
                self.queue.add_rate_limited(key)
            else:
                self.queue.forget(key)
            finally:
                self.queue.done(key)

    async def reconcile(self, key: str) -> None:
        """Apply says what we want and nothing else; what others set on the Deployment stays."""
        namespace, name = split_key(key)
        website = self.websites.indexer.get(key)
        if website is None or website["metadata"].get("deletionTimestamp"):
            return
        wanted = deployment(website)
        await self.client.resource(DEPLOYMENTS, namespace).patch(
            name, wanted, PatchType.APPLY, field_manager="websites", force=True
        )
        if not (website.get("status") or {}).get("ready"):
            status = {"status": {"ready": True}}
            websites = self.client.resource(WEBSITES, namespace)
            try:
                await websites.patch(name, status, PatchType.MERGE, subresource="status")
            except NotFound:
                return  # it has gone meanwhile


def deployment(website: dict[str, Any]) -> dict[str, Any]:
    metadata, spec = website["metadata"], website["spec"]
    labels = {"website": metadata["name"]}
    owner = {"apiVersion": "example.com/v1", "kind": "Website", "name": metadata["name"], "uid": metadata["uid"]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": metadata["name"], "ownerReferences": [{**owner, "controller": True}]},
        "spec": {
            "replicas": spec["replicas"],
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "web", "image": spec["image"]}]},
            },
        },
    }


async def main() -> None:
    async with Client.connect(resolve(load())) as client, SharedInformerFactory(client) as informers:
        await Operator(client, informers).run()


if __name__ == "__main__":
    asyncio.run(main())
