"""Labels and annotations, also in selectors and templates. Kubernetes: LabelTransformer, AnnotationsTransformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kctl.kustomize.fields.field_specs import FieldSpec, Setter, SetValue
from kctl.kustomize.nodes.fields import set_field
from kctl.kustomize.nodes.node import Map, Node, text
from kctl.kustomize.resources import resmap


class MetadataTransformer:
    def __init__(self, values: Mapping[str, str], specs: Sequence[FieldSpec]) -> None:
        self._values = values
        self._specs = specs

    def transform(self, resources: resmap.ResMap) -> None:
        for resource in resources:
            for key in sorted(self._values):
                setter = Setter(_entry_setter(key, self._values[key]), Map, "!!map")
                for spec in self._specs:
                    setter.apply(resource.node, spec)
        resources.drop_empty()


def _entry_setter(key: str, value: str) -> SetValue:
    """All fields of one object get the same node, so that who changes one later changes all of them."""
    shared = text(value)

    def put(node: Node) -> None:
        set_field(node, key, shared)

    return put
