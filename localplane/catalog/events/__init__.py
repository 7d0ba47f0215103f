"""Events, as events.k8s.io has them: the same objects as the core group's, in another shape.

Both groups store the core group's shape, in which the rules and the row are written: see `catalog.core.events`.
"""

from __future__ import annotations

from .events import EVENTS

RESOURCES = (EVENTS,)
