"""Transformers and generators that are written as objects: those that are built in, by their kind.

Kubernetes: api/internal/plugins/loader. Programs and containers as plugins are refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.generators import accounts, charts, data
from kctl.kustomize.transformers import images, metadata, names, namespaces, patches, replacements, replicas, values

from . import generators, options, transformers
from .fields.field_specs import FieldSpec, FieldSpecs
from .loading.decoder import ListOf, MapOf, Shape, Struct, decode, parsed_yaml
from .loading.loader import Loader
from .loading.shapes import (
    CONFIG_MAP_ARGS,
    FIELD_SPEC,
    HELM_CHART,
    HELM_GLOBALS,
    IMAGE,
    OBJECT_META,
    PATCH,
    REPLACEMENT_FIELD,
    REPLICA,
    SECRET_ARGS,
    SELECTOR,
)
from .merging import schemas
from .nodes.conversion import json_value
from .resources import resource

_GENERATORS = ("ConfigMapGenerator", "SecretGenerator", "HelmChartInflationGenerator", "IAMPolicyGenerator")
_SPECS: dict[str, Shape] = {"fieldSpecs": ListOf(FIELD_SPEC)}
_PAIRS = MapOf("string")
_TARGETS = ListOf(Struct("Target", {"selector": SELECTOR, "fieldPath": "string", "filePathPosition": "int"}))
_ACCOUNT = Struct("ServiceAccount", {"name": "string", "projectId": "string"})
_SERVICE = Struct("KubernetesService", {"name": "string", "namespace": "string"})
_FIELDS: tuple[tuple[str, dict[str, Shape], tuple[Struct, ...]], ...] = (
    ("AnnotationsTransformer", {"annotations": _PAIRS, **_SPECS}, ()),
    ("LabelTransformer", {"labels": _PAIRS, **_SPECS}, ()),
    ("HashTransformer", {}, ()),
    ("ImageTagTransformer", {"imageTag": IMAGE, **_SPECS}, ()),
    (
        "NamespaceTransformer",
        {"metadata": OBJECT_META, **_SPECS, "unsetOnly": "bool", "setRoleBindingSubjects": "string"},
        (),
    ),
    ("PatchJson6902Transformer", {"target": SELECTOR, "path": "string", "jsonOp": "string"}, ()),
    ("PatchStrategicMergeTransformer", {"paths": ListOf("string"), "patches": "string"}, ()),
    ("PatchTransformer", dict(PATCH.fields), ()),
    ("PrefixTransformer", {"prefix": "string", **_SPECS}, ()),
    ("SuffixTransformer", {"suffix": "string", **_SPECS}, ()),
    ("PrefixSuffixTransformer", {"prefix": "string", "suffix": "string", **_SPECS}, ()),
    ("ReplacementTransformer", {"replacements": ListOf(REPLACEMENT_FIELD)}, ()),
    ("ReplicaCountTransformer", {"replica": REPLICA, **_SPECS}, ()),
    ("ValueAddTransformer", {"value": "string", "targets": _TARGETS, "targetFilePath": "string"}, ()),
    ("ConfigMapGenerator", {"metadata": OBJECT_META}, (CONFIG_MAP_ARGS,)),
    ("SecretGenerator", {"metadata": OBJECT_META}, (SECRET_ARGS,)),
    ("HelmChartInflationGenerator", {}, (HELM_GLOBALS, HELM_CHART)),
    (
        "IAMPolicyGenerator",
        {"cloud": "string", "kubernetesService": _SERVICE, "serviceAccount": _ACCOUNT},
        (),
    ),
)
_SHAPES = {name: Struct(f"{name}Plugin", fields, embedded) for name, fields, embedded in _FIELDS}


class Plugins:
    """Makes transformers and generators of objects, for one kustomization."""

    def __init__(self, loader: Loader, schemas: schemas.Schemas, options: options.Options) -> None:
        self._loader = loader
        self._schemas = schemas
        self._options = options

    def generator(self, resource: resource.Resource) -> generators.Generator:
        """Raises KustomizeError."""
        if self._checked(resource) not in _GENERATORS:
            raise KustomizeError(f"plugin {resource.original_id} not a generator")
        fields = self._fields(resource)
        try:
            return self._generator(resource.kind, fields)
        except KustomizeError as error:
            raise error.within(f"plugin {resource.original_id} fails configuration") from error

    def transformer(self, resource: resource.Resource) -> transformers.Transformer:
        """Raises KustomizeError."""
        if self._checked(resource) in _GENERATORS:
            raise KustomizeError(f"plugin {resource.original_id} not a transformer")
        fields = self._fields(resource)
        try:
            return self._transformer(resource.kind, fields)
        except KustomizeError as error:
            raise error.within(f"plugin {resource.original_id} fails configuration") from error

    def _checked(self, resource: resource.Resource) -> str:
        if resource.api_version != "builtin":
            if self._options.plugins:
                raise KustomizeError(
                    f"unable to load external plugin '{resource.original_id.gvk.kind}': kctl runs no plugins "
                    "that are programs or containers"
                )
            kind = resource.original_id.gvk.kind
            raise KustomizeError(f"external plugins disabled; unable to load external plugin '{kind}'")
        if resource.kind not in _SHAPES:
            raise KustomizeError(f"unable to load builtin {resource.gvk}")
        return resource.kind

    def _fields(self, resource: resource.Resource) -> dict[str, Any]:
        fields: dict[str, Any] = decode(json_value(resource.node), _SHAPES[resource.kind], strict=False)
        return fields

    def _generator(self, kind: str, fields: Mapping[str, Any]) -> generators.Generator:
        if kind == "HelmChartInflationGenerator":
            return charts.ChartGenerator(fields, self._loader, self._schemas, self._options.helm)
        if kind == "IAMPolicyGenerator":
            return accounts.AccountGenerator(fields, self._schemas)
        metadata = fields.get("metadata") or {}
        named = {name: fields.get(name) or metadata.get(name) or "" for name in ("name", "namespace")}
        return data.DataGenerator(kind.removesuffix("Generator"), {**fields, **named}, self._loader, self._schemas)

    def _transformer(self, kind: str, fields: Mapping[str, Any]) -> transformers.Transformer:
        if kind in ("PrefixTransformer", "SuffixTransformer", "PrefixSuffixTransformer", "HashTransformer"):
            return _renaming(kind, fields)
        if kind.startswith("Patch"):
            return self._patching(kind, fields)
        if kind == "ReplacementTransformer":
            return replacements.ReplacementTransformer(fields.get("replacements") or (), self._loader)
        if kind == "ValueAddTransformer":
            return self._adding(fields)
        return _simple(kind, fields)

    def _patching(self, kind: str, fields: Mapping[str, Any]) -> transformers.Transformer:
        if kind == "PatchTransformer":
            return patches.PatchTransformer(fields, self._loader, self._schemas)
        if kind == "PatchJson6902Transformer":
            return patches.JSONPatchTransformer(fields, self._loader)
        return patches.StrategicMergeTransformer(
            fields.get("paths") or (), fields.get("patches") or "", self._loader, self._schemas
        )

    def _adding(self, fields: Mapping[str, Any]) -> transformers.Transformer:
        value = str(fields.get("value") or "").strip() or Path(self._loader.root).name
        targets = list(fields.get("targets") or ())
        if fields.get("targetFilePath"):
            more = parsed_yaml(self._loader.load(fields["targetFilePath"]))
            shape = Struct("Targets", {"targets": _TARGETS})
            targets += (decode(more, shape, strict=False) or {}).get("targets") or ()
        if not targets:
            raise KustomizeError("must specify at least one target")
        for target in targets:
            position = int(target.get("filePathPosition") or 0)
            if not target.get("fieldPath"):
                raise KustomizeError("fieldPath cannot be empty")
            if position < 0:
                raise KustomizeError(f"value of FilePathPosition ({position}) cannot be negative")
        return values.ValueAddTransformer(value, targets)


def _specs(fields: Mapping[str, Any]) -> FieldSpecs:
    return tuple(FieldSpec.of(one) for one in fields.get("fieldSpecs") or ())


def _renaming(kind: str, fields: Mapping[str, Any]) -> transformers.Transformer:
    if kind == "HashTransformer":
        return names.HashTransformer()
    if fields.get("fieldSpecs") is None:
        raise KustomizeError("fieldSpecs is not expected to be nil")
    specs, prefix, suffix = _specs(fields), str(fields.get("prefix") or ""), str(fields.get("suffix") or "")
    if kind == "PrefixTransformer":
        return names.NameTransformer(specs, prefix=prefix)
    if kind == "SuffixTransformer":
        return names.NameTransformer(specs, suffix=suffix)
    return names.TransformerChain(
        names.NameTransformer(specs, prefix=prefix), names.NameTransformer(specs, suffix=suffix)
    )


def _simple(kind: str, fields: Mapping[str, Any]) -> transformers.Transformer:
    specs = _specs(fields)
    if kind == "NamespaceTransformer":
        return namespaces.NamespaceTransformer(
            str((fields.get("metadata") or {}).get("namespace") or ""),
            specs,
            subjects=str(fields.get("setRoleBindingSubjects") or ""),
            unset_only=bool(fields.get("unsetOnly")),
        )
    if kind == "ImageTagTransformer":
        return images.ImageTagTransformer(fields.get("imageTag") or {}, specs)
    if kind == "ReplicaCountTransformer":
        return replicas.ReplicaCountTransformer(fields.get("replica") or {}, specs)
    return metadata.MetadataTransformer(
        fields.get("labels" if kind == "LabelTransformer" else "annotations") or {}, specs
    )
