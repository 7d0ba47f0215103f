"""All groups of the built-in kinds. A new kind is one file in its group's folder and one line in the group's tuple.

Custom resource definitions and APIServices are not here: they are what the other two servers are about.
"""

from __future__ import annotations

from localplane.apiserver.resource import APIGroup

from . import (
    admissionregistration,
    apps,
    authentication,
    authorization,
    autoscaling,
    batch,
    certificates,
    coordination,
    core,
    discovery,
    events,
    flowcontrol,
    networking,
    node,
    policy,
    rbac,
    resource,
    scheduling,
    storage,
    storagemigration,
)
from .declarations import group
from .options import CatalogOptions


def groups(options: CatalogOptions) -> tuple[APIGroup, ...]:
    return (
        group("", *core.resources(options)),
        group("apps", *apps.RESOURCES),
        group("events.k8s.io", *events.RESOURCES),
        group("authentication.k8s.io", *authentication.resources(options)),
        group("authorization.k8s.io", *authorization.resources(options)),
        group("autoscaling", *autoscaling.RESOURCES),
        group("batch", *batch.RESOURCES),
        group("certificates.k8s.io", *certificates.RESOURCES),
        group("networking.k8s.io", *networking.RESOURCES),
        group("policy", *policy.RESOURCES),
        group("rbac.authorization.k8s.io", *rbac.RESOURCES),
        group("storage.k8s.io", *storage.RESOURCES),
        group("admissionregistration.k8s.io", *admissionregistration.RESOURCES),
        group("scheduling.k8s.io", *scheduling.RESOURCES),
        group("coordination.k8s.io", *coordination.RESOURCES),
        group("node.k8s.io", *node.RESOURCES),
        group("discovery.k8s.io", *discovery.RESOURCES),
        group("resource.k8s.io", *resource.resources(options)),
        group("flowcontrol.apiserver.k8s.io", *flowcontrol.RESOURCES),
        group("storagemigration.k8s.io", *storagemigration.RESOURCES),
    )
