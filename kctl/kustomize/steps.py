"""The generators and transformers that the fields of a kustomization mean, in the order in which they run.

Kubernetes: api/internal/target/kusttarget_configplugin.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kctl.kustomize import generators as kustomize_generators
from kctl.kustomize import transformers as kustomize_transformers
from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.generators import charts, data
from kctl.kustomize.transformers import images, metadata, names, namespaces, replicas
from kctl.kustomize.transformers import patches as transformers_patches
from kctl.kustomize.transformers import replacements as transformers_replacements
from localplane.apimachinery.serializers import yaml_writer

from . import options
from .fields import configuration
from .fields.field_specs import FieldSpec, FieldSpecs, merged
from .loading import kustomization
from .loading.loader import Loader
from .merging import schemas
from .resources.ids import Gvk

_OWN_LABELS = FieldSpec(Gvk(), "metadata/labels", create=True)


@contextmanager
def _configuring(kind: str, config: Mapping[str, Any]) -> Iterator[None]:
    """An error says which step could not be made, and of what."""
    try:
        yield
    except KustomizeError as error:
        shown = yaml_writer.to_yaml(_without_empty(config)).decode()
        raise error.within(f"trouble configuring builtin {kind} with config: `\n{shown}`") from error


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_empty(item) for key, item in value.items() if item not in ("", None, [], False, 0)}
    return [_without_empty(item) for item in value] if isinstance(value, list) else value


class Steps:
    def __init__(
        self,
        kustomization: kustomization.Kustomization,
        config: configuration.TransformerConfig,
        loader: Loader,
        schemas: schemas.Schemas,
        options: options.Options,
        *,
        chart_namespace: str = "",
    ) -> None:
        self._kustomization = kustomization
        self._config = config
        self._loader = loader
        self._schemas = schemas
        self._options = options
        self._chart_namespace = chart_namespace

    def generators(self) -> Iterator[tuple[str, kustomize_generators.Generator]]:
        """With the names of their kinds. Raises KustomizeError."""
        everyone = self._kustomization.fields.get("generatorOptions")
        for kind in ("ConfigMap", "Secret"):
            for entry in self._kustomization.listed(f"{kind[0].lower()}{kind[1:]}Generator"):
                fields = {**entry, "options": data.merged_options(entry.get("options"), everyone)}
                yield f"{kind}Generator", data.DataGenerator(kind, fields, self._loader, self._schemas)
        for chart in self._kustomization.listed("helmCharts"):
            yield "HelmChartInflationGenerator", self._chart(chart)

    def _chart(self, chart: Mapping[str, Any]) -> kustomize_generators.Generator:
        fields = {**self._kustomization.mapped("helmGlobals"), **chart}
        if not fields.get("namespace"):
            fields["namespace"] = self._kustomization.text("namespace") or self._chart_namespace
        with _configuring("HelmChartInflationGenerator", fields):
            return charts.ChartGenerator(fields, self._loader, self._schemas, self._options.helm)

    def transformers(self) -> list[tuple[str, kustomize_transformers.Transformer]]:
        """All are made before the first one runs. Raises KustomizeError."""
        return [*self._patches(), *self._names(), *self._marks(), *self._rest()]

    def _patches(self) -> Iterator[tuple[str, kustomize_transformers.Transformer]]:
        paths, patches = (self._kustomization.listed(name) for name in ("patchesStrategicMerge", "patches"))
        if not paths and not patches:
            return
        if paths:
            with _configuring("PatchStrategicMergeTransformer", {"paths": paths}):
                step: kustomize_transformers.Transformer = transformers_patches.StrategicMergeTransformer(
                    paths, "", self._loader, self._schemas
                )
            yield "PatchStrategicMergeTransformer", step
        for patch in patches:
            with _configuring("PatchTransformer", patch):
                step = transformers_patches.PatchTransformer(patch, self._loader, self._schemas)
            yield "PatchTransformer", step

    def _names(self) -> Iterator[tuple[str, kustomize_transformers.Transformer]]:
        kustomization, config = self._kustomization, self._config
        if kustomization.text("namespace"):
            yield (
                "NamespaceTransformer",
                namespaces.NamespaceTransformer(kustomization.text("namespace"), config.namespace),
            )
        if kustomization.text("namePrefix"):
            yield (
                "PrefixTransformer",
                names.NameTransformer(config.name_prefix, prefix=kustomization.text("namePrefix")),
            )
        if kustomization.text("nameSuffix"):
            yield (
                "SuffixTransformer",
                names.NameTransformer(config.name_suffix, suffix=kustomization.text("nameSuffix")),
            )

    def _marks(self) -> Iterator[tuple[str, kustomize_transformers.Transformer]]:
        kustomization, config = self._kustomization, self._config
        labels, common = kustomization.listed("labels"), kustomization.mapped("commonLabels")
        for entry in labels:
            yield "LabelTransformer", metadata.MetadataTransformer(entry.get("pairs") or {}, self._label_specs(entry))
        if labels or common:
            yield "LabelTransformer", metadata.MetadataTransformer(common, config.common_labels)
        annotations = kustomization.mapped("commonAnnotations")
        if annotations:
            yield "AnnotationsTransformer", metadata.MetadataTransformer(annotations, config.common_annotations)

    def _label_specs(self, entry: Mapping[str, Any]) -> FieldSpecs:
        """Its own fields, and selectors and templates if it says so."""
        try:
            specs = merged([FieldSpec.of(one) for one in entry.get("fields") or ()], self._config.labels)
            if entry.get("includeSelectors"):
                return merged(specs, self._config.common_labels)
            if entry.get("includeTemplates"):
                try:
                    specs = merged(specs, self._config.template_labels)
                except KustomizeError as error:
                    raise _Template(f"failed to merge template fieldSpec: {error}") from error
            return merged(specs, (_OWN_LABELS,))
        except _Template:
            raise
        except KustomizeError as error:
            raise error.within("failed to merge labels") from error

    def _rest(self) -> Iterator[tuple[str, kustomize_transformers.Transformer]]:
        kustomization = self._kustomization
        for patch in kustomization.listed("patchesJson6902"):
            fields = {"target": patch.get("target"), "path": patch.get("path"), "jsonOp": patch.get("patch")}
            with _configuring("PatchJson6902Transformer", fields):
                step: kustomize_transformers.Transformer = transformers_patches.JSONPatchTransformer(
                    fields, self._loader
                )
            yield "PatchJson6902Transformer", step
        for replica in kustomization.listed("replicas"):
            yield "ReplicaCountTransformer", replicas.ReplicaCountTransformer(replica, self._config.replicas)
        for image in kustomization.listed("images"):
            yield "ImageTagTransformer", images.ImageTagTransformer(image, self._config.images)
        replacements = kustomization.listed("replacements")
        if replacements:
            with _configuring("ReplacementTransformer", {"Replacements": replacements}):
                step = transformers_replacements.ReplacementTransformer(replacements, self._loader)
            yield "ReplacementTransformer", step


class _Template(KustomizeError):
    pass
