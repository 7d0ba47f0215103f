"""Every active namespace has the configmap `kube-root-ca.crt`, with which pods verify the server.

Kubernetes: pkg/controller/certificates/rootcacertpublisher.
"""

from __future__ import annotations

from typing import Final

from localplane.client import Client, GroupVersionResource, Lister, ListWatch, SharedInformer, WorkQueue
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import hearing, work

from .namespaces import NAMESPACES, in_namespace, is_active

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_NAME: Final = "kube-root-ca.crt"
_ANNOTATION: Final = "kubernetes.io/description"
_DESCRIPTION: Final = (
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes "
    "clusters."
)


async def start(context: ControllerContext) -> None:
    client = context.client_of("root-ca-cert-publisher")
    queue = WorkQueue[str]()
    namespaces = context.informers.informer(NAMESPACES)
    published = SharedInformer(ListWatch(client.resource(_CONFIG_MAPS), field_selector=f"metadata.name={_NAME}"))
    async with published:
        await published.wait_for_sync()
        publisher = _Publisher(client, namespaces.lister, published.lister, context.root_ca)
        with (
            hearing(published, lambda found: queue.add(found["metadata"]["namespace"])),
            hearing(namespaces, lambda namespace: queue.add(namespace["metadata"]["name"]), deletions=False),
        ):
            await work(queue, publisher.sync)


class _Publisher:
    def __init__(self, client: Client, namespaces: Lister, published: Lister, root_ca: str) -> None:
        self._client = client
        self._namespaces = namespaces
        self._published = published
        self._data = {"ca.crt": root_ca}

    async def sync(self, namespace: str) -> None:
        if not is_active(self._namespaces.get(namespace)):
            return
        config_maps = self._client.resource(_CONFIG_MAPS, namespace)
        found = self._published.namespaced(namespace).get(_NAME)
        if found is None:
            metadata = {"name": _NAME, "namespace": namespace, "annotations": {_ANNOTATION: _DESCRIPTION}}
            async with in_namespace():
                await config_maps.create(
                    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": self._data}
                )
            return
        annotations = found["metadata"].get("annotations") or {}
        if found.get("data") == self._data and annotations.get(_ANNOTATION):
            return
        metadata = found["metadata"] | {"annotations": annotations | {_ANNOTATION: _DESCRIPTION}}
        await config_maps.update(found | {"metadata": metadata, "data": self._data})
