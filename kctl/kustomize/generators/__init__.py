"""What makes objects: config maps, secrets, charts. Kubernetes: api/internal/generators, api/internal/builtins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kctl.kustomize.resmap import ResMap


class Generator(Protocol):
    def generate(self) -> ResMap:
        """Raises KustomizeError."""
