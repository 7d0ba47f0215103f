"""The generators and transformers that the fields of a kustomization mean, in the order in which they run.

Kubernetes: api/internal/target/kusttarget_configplugin.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.field_specs import FieldSpec, FieldSpecs, merged
from kctl.kustomize.ids import Gvk

if TYPE_CHECKING:
    from kctl.kustomize.configuration import TransformerConfig
    from kctl.kustomize.generators import Generator
    from kctl.kustomize.kustomization import Kustomization
    from kctl.kustomize.loading import Loader
    from kctl.kustomize.options import Options
    from kctl.kustomize.schemas import Schemas
    from kctl.kustomize.transformers import Transformer

_OWN_LABELS = FieldSpec(Gvk(), "metadata/labels", create=True)


@contextmanager
def _configuring(kind: str, config: Mapping[str, Any]) -> Iterator[None]:
    """An error says which step could not be made, and of what."""
    try:
        yield
    except KustomizeError as error:
        from localplane.apimachinery.serializers.yaml_writer import to_yaml

        shown = to_yaml(_without_empty(config)).decode()
        raise error.within(f"trouble configuring builtin {kind} with config: `\n{shown}`") from error


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_empty(item) for key, item in value.items() if item not in ("", None, [], False, 0)}
    return [_without_empty(item) for item in value] if isinstance(value, list) else value


class Steps:
    def __init__(
        self,
        kustomization: Kustomization,
        config: TransformerConfig,
        loader: Loader,
        schemas: Schemas,
        options: Options,
        *,
        chart_namespace: str = "",
    ) -> None:
        self._kustomization = kustomization
        self._config = config
        self._loader = loader
        self._schemas = schemas
        self._options = options
        self._chart_namespace = chart_namespace

    def generators(self) -> Iterator[tuple[str, Generator]]:
        """With the names of their kinds. Raises KustomizeError."""
        from kctl.kustomize.generators.data import DataGenerator, merged_options

        everyone = self._kustomization.fields.get("generatorOptions")
        for kind in ("ConfigMap", "Secret"):
            for entry in self._kustomization.listed(f"{kind[0].lower()}{kind[1:]}Generator"):
                fields = {**entry, "options": merged_options(entry.get("options"), everyone)}
                yield f"{kind}Generator", DataGenerator(kind, fields, self._loader, self._schemas)
        for chart in self._kustomization.listed("helmCharts"):
            yield "HelmChartInflationGenerator", self._chart(chart)

    def _chart(self, chart: Mapping[str, Any]) -> Generator:
        from kctl.kustomize.generators.charts import ChartGenerator

        fields = {**self._kustomization.mapped("helmGlobals"), **chart}
        if not fields.get("namespace"):
            fields["namespace"] = self._kustomization.text("namespace") or self._chart_namespace
        with _configuring("HelmChartInflationGenerator", fields):
            return ChartGenerator(fields, self._loader, self._schemas, self._options.helm)

    def transformers(self) -> list[tuple[str, Transformer]]:
        """All are made before the first one runs. Raises KustomizeError."""
        return [*self._patches(), *self._names(), *self._marks(), *self._rest()]

    def _patches(self) -> Iterator[tuple[str, Transformer]]:
        paths, patches = (self._kustomization.listed(name) for name in ("patchesStrategicMerge", "patches"))
        if not paths and not patches:
            return
        from kctl.kustomize.transformers.patches import Merging, Patching

        if paths:
            with _configuring("PatchStrategicMergeTransformer", {"paths": paths}):
                step: Transformer = Merging(paths, "", self._loader, self._schemas)
            yield "PatchStrategicMergeTransformer", step
        for patch in patches:
            with _configuring("PatchTransformer", patch):
                step = Patching(patch, self._loader, self._schemas)
            yield "PatchTransformer", step

    def _names(self) -> Iterator[tuple[str, Transformer]]:
        from kctl.kustomize.transformers.names import Renaming

        kustomization, config = self._kustomization, self._config
        if kustomization.text("namespace"):
            from kctl.kustomize.transformers.namespaces import Placing

            yield "NamespaceTransformer", Placing(kustomization.text("namespace"), config.namespace)
        if kustomization.text("namePrefix"):
            yield "PrefixTransformer", Renaming(config.name_prefix, prefix=kustomization.text("namePrefix"))
        if kustomization.text("nameSuffix"):
            yield "SuffixTransformer", Renaming(config.name_suffix, suffix=kustomization.text("nameSuffix"))

    def _marks(self) -> Iterator[tuple[str, Transformer]]:
        from kctl.kustomize.transformers.metadata import Marking

        kustomization, config = self._kustomization, self._config
        labels, common = kustomization.listed("labels"), kustomization.mapped("commonLabels")
        for entry in labels:
            yield "LabelTransformer", Marking(entry.get("pairs") or {}, self._label_specs(entry))
        if labels or common:
            yield "LabelTransformer", Marking(common, config.common_labels)
        annotations = kustomization.mapped("commonAnnotations")
        if annotations:
            yield "AnnotationsTransformer", Marking(annotations, config.common_annotations)

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

    def _rest(self) -> Iterator[tuple[str, Transformer]]:
        from kctl.kustomize.transformers.images import Retagging
        from kctl.kustomize.transformers.replicas import Scaling

        kustomization = self._kustomization
        for patch in kustomization.listed("patchesJson6902"):
            from kctl.kustomize.transformers.patches import Operating

            fields = {"target": patch.get("target"), "path": patch.get("path"), "jsonOp": patch.get("patch")}
            with _configuring("PatchJson6902Transformer", fields):
                step: Transformer = Operating(fields, self._loader)
            yield "PatchJson6902Transformer", step
        for replica in kustomization.listed("replicas"):
            yield "ReplicaCountTransformer", Scaling(replica, self._config.replicas)
        for image in kustomization.listed("images"):
            yield "ImageTagTransformer", Retagging(image, self._config.images)
        replacements = kustomization.listed("replacements")
        if replacements:
            from kctl.kustomize.transformers.replacements import Replacing

            with _configuring("ReplacementTransformer", {"Replacements": replacements}):
                step = Replacing(replacements, self._loader)
            yield "ReplacementTransformer", step


class _Template(KustomizeError):
    pass
