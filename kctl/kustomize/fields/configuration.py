"""Which fields the transformers change: the built-in ones, those of `configurations`, those that CRDs declare.

Kubernetes: api/internal/plugins/builtinconfig; api/internal/accumulator, loadconfigfromcrds.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.loading import decoder, shapes
from kctl.kustomize.resources.ids import Gvk
from kctl.kustomize.resources.order import type_order

from . import builtin_specs
from .field_specs import FieldSpec, FieldSpecs, merged

References = tuple[tuple[Gvk, FieldSpecs], ...]

_NAMES = {
    "namePrefix": "name_prefix",
    "nameSuffix": "name_suffix",
    "namespace": "namespace",
    "commonLabels": "common_labels",
    "labels": "labels",
    "templateLabels": "template_labels",
    "commonAnnotations": "common_annotations",
    "varReference": "variables",
    "images": "images",
    "replicas": "replicas",
}
_TITLES = {
    "name_prefix": "NamePrefix",
    "name_suffix": "NameSuffix",
    "namespace": "NameSpace",
    "common_labels": "CommonLabels",
    "labels": "Labels",
    "template_labels": "TemplateLabels",
    "common_annotations": "CommonAnnotations",
    "variables": "VarReference",
    "images": "Images",
    "replicas": "Replicas",
}


@dataclass(frozen=True, slots=True)
class TransformerConfig:
    name_prefix: FieldSpecs = ()
    name_suffix: FieldSpecs = ()
    namespace: FieldSpecs = ()
    common_labels: FieldSpecs = ()
    labels: FieldSpecs = ()
    template_labels: FieldSpecs = ()
    common_annotations: FieldSpecs = ()
    variables: FieldSpecs = ()
    images: FieldSpecs = ()
    replicas: FieldSpecs = ()
    name_references: References = ()

    def merge(self, other: TransformerConfig) -> TransformerConfig:
        """Raises KustomizeError if they contradict each other."""
        if other is self or other == EMPTY:
            return self
        if self == EMPTY and other is DEFAULT:
            return other
        changes: dict[str, Any] = {}
        for one in fields(self):
            ours, theirs = getattr(self, one.name), getattr(other, one.name)
            if not theirs or ours is theirs:
                continue
            try:
                if one.name == "name_references":
                    changes[one.name] = _merged_references(ours, theirs)
                else:
                    changes[one.name] = _sorted(merged(ours, theirs))
            except KustomizeError as error:
                title = _TITLES.get(one.name, "NameReference")
                raise error.within(f"failed to merge {title} fieldSpec") from error
        return replace(self, **changes)


def _merged_references(ours: References, theirs: References) -> References:
    result = dict(ours)
    for target, specs in theirs:
        result[target] = merged(result[target], specs) if target in result else specs
    return tuple(sorted(result.items(), key=lambda item: _order(item[0])))


def _order(gvk: Gvk) -> tuple[int, str]:
    return type_order(gvk.kind), "_".join((gvk.group or "~G", gvk.version or "~V", gvk.kind or "~K"))


def _sorted(specs: FieldSpecs) -> FieldSpecs:
    return tuple(sorted(specs, key=lambda spec: _order(spec.gvk)))


EMPTY = TransformerConfig()
DEFAULT = TransformerConfig(
    name_prefix=builtin_specs.NAMES,
    name_suffix=builtin_specs.NAMES,
    namespace=_sorted(builtin_specs.NAMESPACES),
    common_labels=_sorted(builtin_specs.COMMON_LABELS),
    template_labels=_sorted(builtin_specs.TEMPLATE_LABELS),
    common_annotations=_sorted(builtin_specs.COMMON_ANNOTATIONS),
    variables=_sorted(builtin_specs.VARIABLES),
    images=builtin_specs.IMAGES,
    replicas=_sorted(builtin_specs.REPLICAS),
    name_references=tuple(sorted(builtin_specs.NAME_REFERENCES, key=lambda item: _order(item[0]))),
)


def from_file(data: bytes) -> TransformerConfig:
    """A file of `configurations`. Raises KustomizeError."""
    values = decoder.decode_yaml_strictly(data, shapes.TRANSFORMER_CONFIG)
    changes: dict[str, Any] = {
        attribute: _sorted(tuple(FieldSpec.of(one) for one in values.get(name) or ()))
        for name, attribute in _NAMES.items()
    }
    references: References = ()
    for entry in values.get("nameReference") or ():
        specs = tuple(FieldSpec.of(one) for one in entry.get("fieldSpecs") or ())
        gvk = Gvk(*(str(entry.get(part) or "") for part in ("group", "version", "kind")))
        references = _merged_references(references, ((gvk, specs),))
    return TransformerConfig(**changes, name_references=references)


def from_crds(definitions: Mapping[str, Any]) -> TransformerConfig:
    """What a file of `crds` says of its types: OpenAPI definitions by their names."""
    config = EMPTY
    for name, definition in definitions.items():
        properties = _properties(definition)
        if all(one in properties for one in ("kind", "apiVersion", "metadata")):
            gvk = Gvk(kind=name.rsplit(".", 1)[-1])
            config = config.merge(_crd_config(definitions, name, gvk, (), frozenset()))
    return config


def _properties(definition: Any) -> Mapping[str, Any]:
    schema = _get(definition, "Schema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def _get(value: Any, name: str) -> Any:
    """A field of a Go struct, whose name is compared without case."""
    if not isinstance(value, dict):
        return None
    return next((item for key, item in value.items() if key.lower() == name.lower()), None)


def _crd_config(
    definitions: Mapping[str, Any], name: str, gvk: Gvk, path: tuple[str, ...], seen: frozenset[str]
) -> TransformerConfig:
    config = EMPTY
    if name in seen:
        return config
    for field, schema in sorted(_properties(definitions.get(name)).items()):
        if not isinstance(schema, dict):
            continue
        here = (*path, field)
        spec = FieldSpec(gvk, "/".join(here))
        if isinstance(schema.get("x-kubernetes-annotation"), str):
            config = config.merge(TransformerConfig(common_annotations=(spec,)))
        if isinstance(schema.get("x-kubernetes-label-selector"), str):
            config = config.merge(TransformerConfig(common_labels=(spec,)))
        if isinstance(schema.get("x-kubernetes-identity"), str):
            config = config.merge(TransformerConfig(name_prefix=(spec,)))
        version, kind = (schema.get(f"x-kubernetes-object-ref-{one}") for one in ("api-version", "kind"))
        if isinstance(version, str) and isinstance(kind, str):
            key = schema.get("x-kubernetes-object-ref-name-key", "name")
            referrer = FieldSpec(gvk, "/".join((*here, str(key))))
            config = config.merge(TransformerConfig(name_references=((Gvk("", version, kind), (referrer,)),)))
        if isinstance(schema.get("$ref"), str):
            config = config.merge(_crd_config(definitions, schema["$ref"], gvk, here, seen | {name}))
    return config
