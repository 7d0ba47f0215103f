"""The autoscaling group: who says how many there should be.

v2 is the hub; `v1` is the way from and to the old version, which keeps in annotations what it has no fields for.
`RESOURCES` is what the catalog serves. Nothing here measures or scales. Kubernetes: pkg/apis/autoscaling and
pkg/registry/autoscaling.
"""

from __future__ import annotations

from localplane.apiserver.resource import Resource

from .horizontal_pod_autoscalers import HORIZONTAL_POD_AUTOSCALERS

RESOURCES: tuple[Resource, ...] = (HORIZONTAL_POD_AUTOSCALERS,)
