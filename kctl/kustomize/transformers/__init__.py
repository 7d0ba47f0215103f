"""What changes objects: one class for each of kustomize's built-in transformers.

    names, namespaces, metadata, images, replicas, values    what a field of a kustomization says of all objects
    patches, replacements    what it says of some            structured_data   a replacement within a text
    name_references, variables   once, over all that was gathered

A kustomization's fields make them, and so do the files that its `transformers` names. Each is made of what it needs and
has one method, `transform`, which changes the objects in place. Kubernetes: api/internal/builtins, api/filters.
"""

from __future__ import annotations

from typing import Protocol

from kctl.kustomize.resources import resmap


class Transformer(Protocol):
    def transform(self, resources: resmap.ResMap) -> None:
        """Raises KustomizeError."""
