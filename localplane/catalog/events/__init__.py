"""Events, as events.k8s.io has them: the same objects as the core group's, in another shape.

Both groups store the core group's shape, in which the rules and the row are written: see `catalog.core.events`.
"""

from __future__ import annotations

from localplane.catalog.core.events.strategy import EventStrategy
from localplane.catalog.declaring import Conversion, builtin

from .shape import cells, from_core, to_core

EVENTS = builtin(
    "events.k8s.io/events",
    strategy=EventStrategy(),
    cells=cells,
    conversions={"v1": Conversion(to_core, from_core)},
)

RESOURCES = (EVENTS,)
