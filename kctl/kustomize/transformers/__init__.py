"""What changes objects: one class for each of kustomize's built-in transformers.

A kustomization's fields make them, and so do the files that its `transformers` names. Each is made of what it needs and
has one method, `transform`, which changes the objects in place. `name_references` and `variables` run once, over all
that was gathered; `structured_data` is for replacements within a text. Kubernetes: api/internal/builtins, api/filters.
"""

from __future__ import annotations

from typing import Protocol

from kctl.kustomize.resources import resmap


class Transformer(Protocol):
    def transform(self, resources: resmap.ResMap) -> None:
        """Raises KustomizeError."""
