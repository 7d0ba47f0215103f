"""What makes objects. Kubernetes: api/internal/generators, api/internal/builtins.

data    config maps and secrets      charts    with the helm program      accounts    service accounts for clouds
"""

from __future__ import annotations

from typing import Protocol

from kctl.kustomize.resources import resmap


class Generator(Protocol):
    def generate(self) -> resmap.ResMap:
        """Raises KustomizeError."""
