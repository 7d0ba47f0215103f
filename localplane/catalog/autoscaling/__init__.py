"""The autoscaling group: who says how many there should be.

v2 is the hub; `v1` is the way from and to the old version, which keeps in annotations what it has no fields for.
`RESOURCES` is what the catalog serves. Nothing here measures or scales. Kubernetes: pkg/apis/autoscaling and
pkg/registry/autoscaling.

Beside these:

    defaults      what an autoscaler is filled up with
    metrics       the metrics that an autoscaler looks at: one source each, and a target for it
    v1_metrics    metrics and what was measured, as v1 keeps them in annotations: older types, with names of their own
"""

from __future__ import annotations

from localplane.apiserver.resource import Resource

from .horizontal_pod_autoscalers import HORIZONTAL_POD_AUTOSCALERS

RESOURCES: tuple[Resource, ...] = (HORIZONTAL_POD_AUTOSCALERS,)
