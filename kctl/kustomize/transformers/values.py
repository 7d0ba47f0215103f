"""A value that is put into fields, or into a place of file paths in them. Kubernetes: ValueAddTransformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kctl.kustomize.fields.field_specs import split
from kctl.kustomize.fields.paths import field_locations
from kctl.kustomize.nodes.fields import require, set_scalar
from kctl.kustomize.nodes.node import Scalar, raw_text
from kctl.kustomize.resources.resmap import ResMap
from kctl.kustomize.resources.selector import Selector
from kctl.kustomize.transformers.namespaces import NamespaceTransformer


class ValueAddTransformer:
    """Of `targets` each has a `fieldPath`."""

    def __init__(self, value: str, targets: Sequence[Mapping[str, Any]]) -> None:
        self._value = value
        self._targets = targets

    def transform(self, resources: ResMap) -> None:
        for target in self._targets:
            selector = target.get("selector")
            selected = list(resources) if selector is None else resources.select(Selector(selector))
            path, position = str(target.get("fieldPath") or ""), int(target.get("filePathPosition") or 0)
            for resource in selected:
                if path == "metadata/namespace":
                    NamespaceTransformer(self._value, ()).set_namespace(resource)
                    continue
                for location in field_locations(resource.node, split(path), Scalar):
                    require(location.node, Scalar)
                    old = raw_text(location.node)
                    set_scalar(location.node, insert_part(old, position - 1, self._value) if position else self._value)


def insert_part(path: str, position: int, part: str) -> str:
    """Another directory on the way; counted without the root."""
    absolute = path.startswith("/")
    parts = [one for one in path.split("/") if one]
    parts.insert(max(0, min(position, len(parts))), part)
    return ("/" if absolute else "") + "/".join(parts)
