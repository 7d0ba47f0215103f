"""Runtime classes. The server's list of groups calls this; what a class does to a pod is admission's affair."""

from __future__ import annotations

from .runtime_classes import RUNTIME_CLASSES

RESOURCES = (RUNTIME_CLASSES,)
