"""Publishes the authority of the server's own certificate as a ClusterTrustBundle, and takes away what it published of
authorities before.

Kubernetes: pkg/controller/certificates/clustertrustbundlepublisher.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from localplane.apimachinery.errors import NotFound
from localplane.client import Client, GroupVersionResource, Lister, ListWatch, SharedInformer, WorkQueue
from localplane.controllers.context import ControllerContext
from localplane.controllers.worker import hearing, work

_BUNDLES: Final = GroupVersionResource("certificates.k8s.io", "v1", "clustertrustbundles")
_ACCOUNT: Final = "kube-apiserver-serving-clustertrustbundle-publisher"
_SIGNER: Final = "kubernetes.io/kube-apiserver-serving"
_ALL: Final = "all"


async def start(context: ControllerContext) -> None:
    client = context.client_of(_ACCOUNT)
    queue = WorkQueue[str]()
    published = SharedInformer(ListWatch(client.resource(_BUNDLES), field_selector=f"spec.signerName={_SIGNER}"))
    async with published:
        await published.wait_for_sync()
        publisher = _Publisher(client, published.lister, context.root_ca)
        queue.add(_ALL)
        with hearing(published, lambda _: queue.add(_ALL)):
            await work(queue, publisher.sync)


class _Publisher:
    def __init__(self, client: Client, published: Lister, root_ca: str) -> None:
        self._bundles = client.resource(_BUNDLES)
        self._published = published
        self._root_ca = root_ca

    async def sync(self, _: str) -> None:
        """Without an authority there is nothing to publish, nor to take away."""
        if not self._root_ca:
            return
        name = bundle_name(_SIGNER, self._root_ca)
        bundle = self._published.get(name)
        spec = {"signerName": _SIGNER, "trustBundle": self._root_ca}
        if bundle is None:
            metadata = {"name": name}
            made = {"apiVersion": "certificates.k8s.io/v1", "kind": "ClusterTrustBundle", "metadata": metadata}
            await self._bundles.create(made | {"spec": spec})
        elif bundle["spec"].get("trustBundle") != self._root_ca:
            await self._bundles.update(bundle | {"spec": spec})
        for other in self._published.list():
            if other["metadata"]["name"] != name:
                await self._forget(other["metadata"]["name"])

    async def _forget(self, name: str) -> None:
        try:
            await self._bundles.delete(name)
        except NotFound:
            return


def bundle_name(signer: str, bundle: str) -> str:
    """The signer's prefix, and what the bundle says in short."""
    return f"{signer.replace('/', ':')}:{sha256(bundle.encode()).digest()[:12].hex()}"
