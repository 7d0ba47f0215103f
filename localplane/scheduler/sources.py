"""The objects beside pods and nodes that the scheduler reads. Their informers start when they are first needed: most
clusters have no volumes and no devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from localplane.client import GroupVersionResource, Lister, SharedInformer, SharedInformerFactory

PODS: Final = GroupVersionResource("", "v1", "pods")
NODES: Final = GroupVersionResource("", "v1", "nodes")
NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
SERVICES: Final = GroupVersionResource("", "v1", "services")
REPLICATION_CONTROLLERS: Final = GroupVersionResource("", "v1", "replicationcontrollers")
REPLICA_SETS: Final = GroupVersionResource("apps", "v1", "replicasets")
STATEFUL_SETS: Final = GroupVersionResource("apps", "v1", "statefulsets")
BUDGETS: Final = GroupVersionResource("policy", "v1", "poddisruptionbudgets")

CLAIMS: Final = GroupVersionResource("", "v1", "persistentvolumeclaims")
VOLUMES: Final = GroupVersionResource("", "v1", "persistentvolumes")
STORAGE_CLASSES: Final = GroupVersionResource("storage.k8s.io", "v1", "storageclasses")
CSI_NODES: Final = GroupVersionResource("storage.k8s.io", "v1", "csinodes")
CSI_DRIVERS: Final = GroupVersionResource("storage.k8s.io", "v1", "csidrivers")
CSI_CAPACITIES: Final = GroupVersionResource("storage.k8s.io", "v1", "csistoragecapacities")
ATTACHMENTS: Final = GroupVersionResource("storage.k8s.io", "v1", "volumeattachments")

RESOURCE_CLAIMS: Final = GroupVersionResource("resource.k8s.io", "v1", "resourceclaims")
DEVICE_CLASSES: Final = GroupVersionResource("resource.k8s.io", "v1", "deviceclasses")
RESOURCE_SLICES: Final = GroupVersionResource("resource.k8s.io", "v1", "resourceslices")

ALWAYS: Final = (NAMESPACES, SERVICES, REPLICATION_CONTROLLERS, REPLICA_SETS, STATEFUL_SETS)
FOR_VOLUMES: Final = (CLAIMS, VOLUMES, STORAGE_CLASSES, CSI_NODES, CSI_DRIVERS, CSI_CAPACITIES, ATTACHMENTS)
FOR_DEVICES: Final = (RESOURCE_CLAIMS, DEVICE_CLASSES, RESOURCE_SLICES)


class Sources:
    """`begun` is called with each informer when it is first asked for."""

    def __init__(
        self,
        informers: SharedInformerFactory,
        begun: Callable[[GroupVersionResource, SharedInformer], None] = lambda _resource, _informer: None,
    ) -> None:
        self._informers = informers
        self._begun = begun
        self._used: dict[GroupVersionResource, SharedInformer] = {}

    def informer(self, resource: GroupVersionResource) -> SharedInformer:
        informer = self._used.get(resource)
        if informer is None:
            informer = self._used[resource] = self._informers.informer(resource)
            self._begun(resource, informer)
        return informer

    def lister(self, resource: GroupVersionResource) -> Lister:
        """Complete only after `ready`."""
        return self.informer(resource).lister

    async def ready(self, resources: Iterable[GroupVersionResource]) -> None:
        """Until what there is of these is known."""
        for resource in resources:
            informer = self.informer(resource)
            if not informer.has_synced:
                await informer.wait_for_sync()
