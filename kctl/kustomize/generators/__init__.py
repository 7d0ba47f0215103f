"""What makes objects: config maps, secrets, charts. Kubernetes: api/internal/generators, api/internal/builtins."""

from __future__ import annotations

from typing import Protocol

from kctl.kustomize.resources import resmap


class Generator(Protocol):
    def generate(self) -> resmap.ResMap:
        """Raises KustomizeError."""
