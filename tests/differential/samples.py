"""An object of every kind that is written, with its place and the schema of its fields."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.schema import Node, Schema
from localplane.apimachinery.serializers.yaml_documents import parse_yaml_documents
from localplane.catalog.declarations import builtin, group
from localplane.catalog.groups import groups
from localplane.catalog.options import CatalogOptions

NAMESPACE: Final = "differential"
LABEL: Final = "story"
_HERE: Final = Path(__file__).parent
_CUSTOM_GROUP: Final = "differential.example.com"


@dataclass(frozen=True, slots=True)
class Sample:
    """`subresources` are those that a story may write beside the object; custom kinds have no strategic patches."""

    kind: str
    version: GroupVersion
    plural: str
    namespaced: bool
    obj: dict[str, Any]
    schema: Node | None
    subresources: tuple[str, ...]
    is_custom: bool = False

    @property
    def collection(self) -> str:
        prefix = f"/apis/{self.version}" if self.version.group else f"/api/{self.version}"
        return f"{prefix}/namespaces/{NAMESPACE}/{self.plural}" if self.namespaced else f"{prefix}/{self.plural}"

    def named(self, name: str) -> dict[str, Any]:
        """The object under a name, with a label by which its story finds it."""
        obj: dict[str, Any] = copy.deepcopy(self.obj)
        if self.kind == "CustomResourceDefinition":
            obj = json.loads(json.dumps(obj).replace("NAME", name.replace("-", "")))
            name = f"{name.replace('-', '')}.{obj['spec']['group']}"
        return {**obj, "metadata": {**(obj.get("metadata") or {}), "name": name, "labels": {LABEL: name}}}


def definitions() -> Sequence[dict[str, Any]]:
    return _documents("definitions.yaml")


def samples() -> Sequence[Sample]:
    return [_sample(obj) for obj in _documents("objects.yaml")]


def _documents(name: str) -> list[dict[str, Any]]:
    return [document.value for document in parse_yaml_documents((_HERE / name).read_bytes()) if document.value]


def _sample(obj: dict[str, Any]) -> Sample:
    version, kind = GroupVersion.parse(obj["apiVersion"]), obj["kind"]
    if version.group == _CUSTOM_GROUP:
        return _custom(obj, version, kind)
    for served in _GROUPS:
        for resource in served.resources:
            found = resource.version(version.version)
            if served.name == version.group and resource.kind == kind and found is not None:
                below = tuple(
                    name
                    for name in ("status", "scale")
                    if name in resource.subresources or (name == "status" and resource.has_status)
                )
                return Sample(kind, version, resource.plural, resource.namespaced, obj, found.compiled.root, below)
    raise LookupError(f"objects.yaml has a {kind} of {version}, which nobody serves")


def _custom(obj: dict[str, Any], version: GroupVersion, kind: str) -> Sample:
    spec = next(each["spec"] for each in definitions() if each["spec"]["names"]["kind"] == kind)
    declared = spec["versions"][0]
    schema = Schema.of(declared["schema"]["openAPIV3Schema"]).root
    below = tuple(declared.get("subresources") or ())
    return Sample(
        kind, version, spec["names"]["plural"], spec["scope"] == "Namespaced", obj, schema, below, is_custom=True
    )


_GROUPS: Final = (
    *groups(CatalogOptions()),
    group("apiextensions.k8s.io", builtin("apiextensions.k8s.io/customresourcedefinitions")),
)
