"""Prefixes, suffixes and hashes of names. Kubernetes: PrefixTransformer, SuffixTransformer, HashTransformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kctl.kustomize.fields.field_specs import FieldSpec, Setter
from kctl.kustomize.nodes.fields import set_scalar
from kctl.kustomize.nodes.node import STR, Node, Scalar, raw_text
from kctl.kustomize.resources import resmap
from kctl.kustomize.resources.hashes import resource_hash
from kctl.kustomize.resources.ids import Gvk
from kctl.kustomize.resources.resource import NEEDS_HASH, PREFIXES, SUFFIXES

_KEEP_NAMES = (
    Gvk(kind="CustomResourceDefinition"),
    Gvk("apiregistration.k8s.io", "", "APIService"),
    Gvk(kind="Namespace"),
)


class NameTransformer:
    """Only one of the two is ever given."""

    def __init__(self, specs: Sequence[FieldSpec], *, prefix: str = "", suffix: str = "") -> None:
        self._specs = specs
        self._prefix = prefix
        self._suffix = suffix

    def transform(self, resources: resmap.ResMap) -> None:
        setter = Setter(self._rename, Scalar, STR)
        for resource in resources:
            gvk = resource.original_id.gvk
            if any(map(gvk.selected_by, _KEEP_NAMES)):
                continue
            for spec in self._specs:
                if not gvk.selected_by(spec.gvk):
                    continue
                if spec.path == "metadata/name":
                    resource.append_to(PREFIXES, self._prefix)
                    resource.append_to(SUFFIXES, self._suffix)
                    if self._prefix or self._suffix:
                        resource.remember_id()
                setter.apply(resource.node, spec)

    def _rename(self, node: Node) -> None:
        set_scalar(node, f"{self._prefix}{raw_text(node)}{self._suffix}")


class HashTransformer:
    """Appends a hash of the content to the names of what was generated."""

    def transform(self, resources: resmap.ResMap) -> None:
        for resource in resources:
            if resource.is_enabled(NEEDS_HASH):
                digest = resource_hash(resource)
                resource.remember_id()
                resource.set_name(f"{resource.name}-{digest}")


class TransformerChain:
    """One after the other."""

    def __init__(self, *transformers: Any) -> None:
        self._transformers = transformers

    def transform(self, resources: resmap.ResMap) -> None:
        for transformer in self._transformers:
            transformer.transform(resources)
