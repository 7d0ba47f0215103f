"""Priority classes. The server's list of groups calls this; which pod has which priority is admission's affair."""

from __future__ import annotations

from .priority_classes import PRIORITY_CLASSES

RESOURCES = (PRIORITY_CLASSES,)
