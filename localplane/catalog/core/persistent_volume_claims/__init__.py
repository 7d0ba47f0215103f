"""PersistentVolumeClaims: what somebody wants of a volume, and which one it is.

- `data_sources`  what a volume shall be filled with, which two fields tell
- `changes`       what may change: the volume once, and of a bound claim its size and its attributes
- `strategy`      the rules around a write
- `columns`       the row in a table

The core group declares it. What a spec may ask for is in `pods.validation.claims`, because pods carry such specs too.
"""

from __future__ import annotations

from typing import Any

from localplane.catalog.core.pods.defaults.resources import default_resource_list
from localplane.catalog.core.pods.defaults.volumes import default_claim_spec
from localplane.catalog.declarations import builtin

from .columns import claim_cells
from .strategy import ClaimStatusStrategy, ClaimStrategy


def default_claim(obj: dict[str, Any]) -> None:
    status = obj.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Pending"
    default_claim_spec(obj.setdefault("spec", {}))
    default_resource_list(status.get("capacity"))
    default_resource_list(status.get("allocatedResources"))


PERSISTENT_VOLUME_CLAIMS = builtin(
    "persistentvolumeclaims",
    strategy=ClaimStrategy(),
    status_strategy=ClaimStatusStrategy,
    default=default_claim,
    cells=claim_cells,
)
