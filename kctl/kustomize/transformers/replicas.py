"""How many replicas workloads have. Kubernetes: ReplicaCountTransformer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.fields.field_specs import FieldSpec, Setter
from kctl.kustomize.nodes.fields import set_scalar
from kctl.kustomize.nodes.node import INT, Node, Scalar
from kctl.kustomize.resources import resmap


class ReplicaCountTransformer:
    """`replica` is an entry of `replicas`."""

    def __init__(self, replica: Mapping[str, Any], specs: Sequence[FieldSpec]) -> None:
        self._name = str(replica.get("name") or "")
        self._count = int(replica.get("count") or 0)
        self._specs = specs

    def transform(self, resources: resmap.ResMap) -> None:
        setter = Setter(self._set, Scalar, INT)
        found = False
        for spec in self._specs:
            selector = spec.gvk
            for resource in resources.matching(
                lambda one, selector=selector: one.name == self._name and one.gvk.selected_by(selector)  # type: ignore[misc]  # a default binds it
            ):
                found = True
                setter.apply(resource.node, spec)
        if not found:
            kinds = " ".join(str(spec.gvk) for spec in self._specs)
            raise KustomizeError(
                f"resource with name {self._name} does not match a config with the following GVK [{kinds}]"
            )

    def _set(self, node: Node) -> None:
        set_scalar(node, str(self._count), INT)
