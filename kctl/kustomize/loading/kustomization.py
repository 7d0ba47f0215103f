"""A kustomization file: found, read, checked, brought into its newest form. Kubernetes: api/types/kustomization.go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kctl.kustomize.errors import KustomizeError, MissingKustomization

from .decoder import decode, parsed_yaml
from .loader import Loader
from .shapes import KUSTOMIZATION

FILE_NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_FIX = "Run 'kustomize edit fix' to update your Kustomization automatically."
_DEPRECATED = {
    "bases": f"'resources' instead. {_FIX}",
    "commonLabels": f"'labels' instead. {_FIX}",
    "imageTags": f"'images' instead. {_FIX}",
    "patchesJson6902": f"'patches' instead. {_FIX}",
    "patchesStrategicMerge": f"'patches' instead. {_FIX}",
    "vars": f"'replacements' instead. [EXPERIMENTAL] {_FIX}",
}
_VERSIONS = {"Component": "kustomize.config.k8s.io/v1alpha1"}
_VERSION = "kustomize.config.k8s.io/v1beta1"


class Kustomization:
    """`fields` by their names; what is absent is not in it."""

    def __init__(self, fields: dict[str, Any], file_name: str) -> None:
        self.fields = fields
        self.file_name = file_name

    def text(self, name: str) -> str:
        return str(self.fields.get(name) or "")

    def listed(self, name: str) -> list[Any]:
        return list(self.fields.get(name) or ())

    def mapped(self, name: str) -> dict[str, Any]:
        return dict(self.fields.get(name) or {})

    @property
    def is_component(self) -> bool:
        return self.text("kind") == "Component"


def load(loader: Loader, warn: Callable[[str], None]) -> Kustomization:
    """The kustomization of a directory. Raises KustomizeError."""
    data, file_name = _find(loader)
    try:
        fields = decode(parsed_yaml(data), KUSTOMIZATION, strict=True) or {}
    except KustomizeError as error:
        raise error.within("invalid Kustomization") from error
    for name, instead in _DEPRECATED.items():
        if name in fields:
            warn(f"# Warning: '{name}' is deprecated. Please use {instead}")
    _modernize(fields)
    if not any(value not in ("", None) for name, value in fields.items() if name not in ("kind", "apiVersion")):
        raise KustomizeError("kustomization.yaml is empty")
    problems = _problems(fields)
    if problems:
        raise KustomizeError("\n".join((f"Failed to read kustomization file under {loader.root}:", *problems)))
    return Kustomization(fields, file_name)


def _find(loader: Loader) -> tuple[bytes, str]:
    found = []
    for name in FILE_NAMES:
        try:
            found.append((loader.load(name), name))
        except KustomizeError:
            continue
    if not found:
        first, second, third = FILE_NAMES
        raise MissingKustomization(
            f"unable to find one of '{first}', '{second}' or '{third}' in directory '{loader.root}'"
        )
    if len(found) > 1:
        raise KustomizeError(f"Found multiple kustomization files under: {loader.root}\n")
    return found[0]


def _modernize(fields: dict[str, Any]) -> None:
    fields["kind"] = fields.get("kind") or "Kustomization"
    fields["apiVersion"] = fields.get("apiVersion") or _VERSIONS.get(fields["kind"], _VERSION)
    for old, new in (("bases", "resources"), ("imageTags", "images")):
        moved = fields.pop(old, None)
        if moved:
            fields[new] = [*(fields.get(new) or ()), *moved]
    for name in ("configMapGenerator", "secretGenerator"):
        for entry in fields.get(name) or ():
            single = entry.pop("env", "")
            if single:
                entry["envs"] = [*(entry.get("envs") or ()), single]
    _modernize_charts(fields)


def _modernize_charts(fields: dict[str, Any]) -> None:
    old = fields.pop("helmChartInflationGenerator", None) or ()
    names = {
        "chartName": "name",
        "chartVersion": "version",
        "chartRepoUrl": "repo",
        "values": "valuesFile",
        "valuesLocal": "valuesInline",
        "valuesMerge": "valuesMerge",
        "releaseName": "releaseName",
    }
    homes: dict[str, str] = {}
    for chart in old:
        made = {new: chart[name] for name, new in names.items() if name in chart}
        fields["helmCharts"] = [*(fields.get("helmCharts") or ()), made]
        homes |= {
            new: chart[name]
            for name, new in (("helmHome", "configHome"), ("chartHome", "chartHome"))
            if chart.get(name)
        }
    if homes:
        fields.setdefault("helmGlobals", homes)


def _problems(fields: dict[str, Any]) -> list[str]:
    kind, problems = fields["kind"], []
    if kind not in ("Kustomization", "Component"):
        problems.append("kind should be Kustomization or Component")
    required = _VERSIONS.get(kind, _VERSION)
    if fields["apiVersion"] != required:
        problems.append(f"apiVersion for {kind} should be {required}")
    return problems
