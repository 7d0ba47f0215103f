"""The fields of a kustomization file and of the other files that kustomize reads. Kubernetes: api/types."""

from __future__ import annotations

from collections.abc import Mapping

from .decoder import ListOf, MapOf, Shape, Struct

_TEXTS = ListOf("string")
_TEXT_MAP = MapOf("string")


def _texts(*names: str) -> Mapping[str, Shape]:
    return dict.fromkeys(names, "string")


_GVK = Struct("Gvk", _texts("group", "version", "kind"))
_RES_ID = Struct("ResId", _texts("name", "namespace"), (_GVK,))
TYPE_META = Struct("TypeMeta", _texts("kind", "apiVersion"))
OBJECT_META = Struct("ObjectMeta", {**_texts("name", "namespace"), "labels": _TEXT_MAP, "annotations": _TEXT_MAP})
FIELD_SPEC = Struct("FieldSpec", {"path": "string", "create": "bool"}, (_GVK,))
SELECTOR = Struct("Selector", _texts("annotationSelector", "labelSelector"), (_RES_ID,))
_PATCH_ARGS = Struct("PatchArgs", {"allowNameChange": "bool", "allowKindChange": "bool"})
PATCH = Struct("Patch", {**_texts("path", "patch"), "target": SELECTOR, "options": _PATCH_ARGS})
IMAGE = Struct("Image", _texts("name", "newName", "tagSuffix", "newTag", "digest"))
REPLICA = Struct("Replica", {"name": "string", "count": "int64"})
LABEL = Struct(
    "Label",
    {
        "pairs": _TEXT_MAP,
        "includeSelectors": "bool",
        "includeTemplates": "bool",
        "fields": ListOf(FIELD_SPEC),
    },
)
GENERATOR_OPTIONS = Struct(
    "GeneratorOptions",
    {"labels": _TEXT_MAP, "annotations": _TEXT_MAP, "disableNameSuffixHash": "bool", "immutable": "bool"},
)
_SOURCES = Struct("KvPairSources", {**dict.fromkeys(("literals", "files", "envs"), _TEXTS), "env": "string"})
_GENERATOR_ARGS = Struct(
    "GeneratorArgs", {**_texts("namespace", "name", "behavior"), "options": GENERATOR_OPTIONS}, (_SOURCES,)
)
CONFIG_MAP_ARGS = Struct("ConfigMapArgs", {}, (_GENERATOR_ARGS,))
SECRET_ARGS = Struct("SecretArgs", {"type": "string"}, (_GENERATOR_ARGS,))
_FIELD_OPTIONS = Struct("FieldOptions", {**_texts("delimiter", "encoding"), "index": "int", "create": "bool"})
_SOURCE = Struct("SourceSelector", {"fieldPath": "string", "options": _FIELD_OPTIONS}, (_RES_ID,))
_TARGET = Struct(
    "TargetSelector",
    {"select": SELECTOR, "reject": ListOf(SELECTOR), "fieldPaths": _TEXTS, "options": _FIELD_OPTIONS},
)
REPLACEMENT = Struct("Replacement", {"source": _SOURCE, "targets": ListOf(_TARGET), "sourceValue": "string"})
REPLACEMENT_FIELD = Struct("ReplacementField", {"path": "string"}, (REPLACEMENT,))
_VAR_TARGET = Struct("Target", _texts("apiVersion", "name", "namespace"), (_GVK,))
VAR = Struct("Var", {"name": "string", "objref": _VAR_TARGET, "fieldref": Struct("FieldSelector", _texts("fieldPath"))})
_SORT_OPTIONS = Struct(
    "SortOptions",
    {
        "order": "string",
        "legacySortOptions": Struct("LegacySortOptions", {"orderFirst": _TEXTS, "orderLast": _TEXTS}),
    },
)
HELM_GLOBALS = Struct("HelmGlobals", _texts("chartHome", "configHome"))
HELM_CHART = Struct(
    "HelmChart",
    {
        **_texts("name", "version", "repo", "releaseName", "namespace", "valuesFile", "valuesMerge", "kubeVersion"),
        "nameTemplate": "string",
        "additionalValuesFiles": _TEXTS,
        "valuesInline": MapOf("any"),
        "apiVersions": _TEXTS,
        **dict.fromkeys(("includeCRDs", "skipHooks", "skipTests", "debug", "devel"), "bool"),
    },
)
HELM_CHART_ARGS = Struct(
    "HelmChartArgs",
    {
        **_texts(
            "chartName",
            "chartVersion",
            "chartRepoUrl",
            "chartHome",
            "chartRepoName",
            "helmBin",
            "helmHome",
            "values",
            "valuesMerge",
            "releaseName",
            "releaseNamespace",
        ),
        "valuesLocal": MapOf("any"),
        "extraArgs": _TEXTS,
    },
)

KUSTOMIZATION = Struct(
    "Kustomization",
    {
        "metadata": OBJECT_META,
        **dict.fromkeys(("openapi", "commonLabels", "commonAnnotations"), _TEXT_MAP),
        **_texts("namePrefix", "nameSuffix", "namespace"),
        "labels": ListOf(LABEL),
        "patchesStrategicMerge": _TEXTS,
        "patchesJson6902": ListOf(PATCH),
        "patches": ListOf(PATCH),
        "images": ListOf(IMAGE),
        "imageTags": ListOf(IMAGE),
        "replacements": ListOf(REPLACEMENT_FIELD),
        "replicas": ListOf(REPLICA),
        "vars": ListOf(VAR),
        "sortOptions": _SORT_OPTIONS,
        "configMapGenerator": ListOf(CONFIG_MAP_ARGS),
        "secretGenerator": ListOf(SECRET_ARGS),
        "helmGlobals": HELM_GLOBALS,
        "helmCharts": ListOf(HELM_CHART),
        "helmChartInflationGenerator": ListOf(HELM_CHART_ARGS),
        "generatorOptions": GENERATOR_OPTIONS,
        **dict.fromkeys(
            (
                "resources",
                "components",
                "crds",
                "bases",
                "configurations",
                "generators",
                "transformers",
                "validators",
                "buildMetadata",
            ),
            _TEXTS,
        ),
    },
    (TYPE_META,),
)

_SPECS = ListOf(FIELD_SPEC)
TRANSFORMER_CONFIG = Struct(
    "TransformerConfig",
    {
        **dict.fromkeys(
            (
                "namePrefix",
                "nameSuffix",
                "namespace",
                "commonLabels",
                "labels",
                "templateLabels",
                "commonAnnotations",
                "varReference",
                "images",
                "replicas",
            ),
            _SPECS,
        ),
        "nameReference": ListOf(Struct("NameBackReferences", {"fieldSpecs": _SPECS}, (_GVK,))),
    },
)
