"""What a pod's volumes have against a node.

    views          claims and volumes as they are, or as we have decided that they will be
    binding        the nodes where all claims have a volume, or can get one; `reservations` makes it so
    restrictions   disks and claims that only one pod may use
    zone, limits   where volumes are, and how many a node takes

Kubernetes: pkg/scheduler/framework/plugins, volumerestrictions, nodevolumelimits, volumebinding and volumezone. Volumes
of in-tree drivers are taken as they are, not translated to those of CSI drivers.
"""

from __future__ import annotations

from dataclasses import dataclass

from localplane.scheduler.plugins.check import Check
from localplane.scheduler.state.cluster import ClusterState
from localplane.scheduler.state.pod_info import PodInfo

from . import binding, limits, restrictions, zone
from .binding import VolumeCheck
from .views import VolumeViews

__all__ = ["PreparedVolumes", "VolumeCheck", "VolumeViews", "prepare"]


@dataclass(frozen=True, slots=True)
class PreparedVolumes:
    """`binding` is among the checks too."""

    checks: list[Check]
    binding: VolumeCheck | None


def prepare(pod: PodInfo, cluster: ClusterState, views: VolumeViews) -> PreparedVolumes:
    """Raises Unschedulable and SchedulerError. In the order of the default profile."""
    restricted = restrictions.prepare(pod, cluster, views)
    if not pod.has_claims:
        return PreparedVolumes([restricted] if restricted is not None else [], None)
    limited = limits.prepare(pod, views)
    bound = binding.prepare(pod, views)
    zoned = zone.prepare(pod, views)
    checks: list[Check | None] = [restricted, limited, bound, zoned]
    return PreparedVolumes([check for check in checks if check is not None], bound)
