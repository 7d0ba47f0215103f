"""PersistentVolumes: storage that outlives pods.

- `sources`     where it is: one of the kinds of storage, each with its own rules
- `validation`  the rules for a spec, also for the one that an attachment carries within it
- `changes`     what may change: little, and never the source
- `strategy`, `warnings`  the rules around a write, and the warnings
- `columns`    the row in a table, and words that claims print as well

The core group declares it. Nothing in here mounts or provisions anything.
"""

from __future__ import annotations

from localplane.catalog.declarations import builtin

from .columns import persistent_volume_cells
from .defaults import default_persistent_volume
from .strategy import PersistentVolumeStatusStrategy, PersistentVolumeStrategy

PERSISTENT_VOLUMES = builtin(
    "persistentvolumes",
    strategy=PersistentVolumeStrategy(),
    status_strategy=PersistentVolumeStatusStrategy,
    default=default_persistent_volume,
    cells=persistent_volume_cells,
)
