"""Events: what happened to an object. They go by themselves after an hour.

- `validation`  the rules: loose for the core group, as they always were, and strict for events.k8s.io
- `strategy`    the rules around a write, which look at the group that was asked
- `printing`    the row in a table

The core group declares it, and the group events.k8s.io shows the same objects in a shape of its own: `catalog.events`.
"""

from __future__ import annotations

from localplane.catalog.declaring import builtin

from .printing import event_cells
from .strategy import EventStrategy, source_of

EVENTS = builtin("events", strategy=EventStrategy(), cells=event_cells, selectable={"source": source_of})
