"""What a kustomization and those below it have gathered. Kubernetes: api/internal/accumulator, ResAccumulator."""

from __future__ import annotations

from kctl.kustomize import variables
from kctl.kustomize.configuration import EMPTY, TransformerConfig
from kctl.kustomize.resmap import ResMap


class Accumulator:
    def __init__(self) -> None:
        self.resources = ResMap()
        self.config: TransformerConfig = EMPTY
        self.variables: variables.Variables = {}

    def merge(self, other: Accumulator) -> None:
        """Raises KustomizeError if both have the same object."""
        self.resources.extend(other.resources)
        self.config = self.config.merge(other.config)
        variables.add(self.variables, list(other.variables.values()))
