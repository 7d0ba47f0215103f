"""The quota controller: what a namespace uses of what its quotas allow, in their status.

    controller  which quota is recounted, and when     monitors  hears of objects that count, for quotas that there are

Without a quota nothing is watched and nothing is counted. Kubernetes: pkg/controller/resourcequota.
"""

from __future__ import annotations

from .controller import start

__all__ = ["start"]
