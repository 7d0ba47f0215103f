"""Events, as events.k8s.io has them: the same objects as the core group's."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (builtin("events.k8s.io/events"),)
