"""Patches: strategic merge patches and JSON patches (RFC 6902).

Kubernetes: PatchTransformer, PatchStrategicMergeTransformer, PatchJson6902Transformer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.loading.decoder import parsed_yaml
from kctl.kustomize.loading.loader import Loader
from kctl.kustomize.merging.schemas import Schemas
from kctl.kustomize.merging.strategic_merge import Merger
from kctl.kustomize.nodes.conversion import from_json, json_value
from kctl.kustomize.nodes.node import Map
from kctl.kustomize.resources.factory import in_file, resources_from
from kctl.kustomize.resources.resmap import ResMap
from kctl.kustomize.resources.resource import ALLOW_KIND_CHANGE, ALLOW_NAME_CHANGE, Resource
from kctl.kustomize.resources.selector import Selector
from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.apimachinery.objects import sorted_keys
from localplane.apimachinery.patch import PatchError
from localplane.apimachinery.patch.json_patch import apply, json_patch_of
from localplane.apimachinery.serializers.yaml_writer import to_yaml

Operations = list[dict[str, Any]]


def operations_of(text: str) -> Operations:
    """A JSON patch, in JSON or YAML. Raises KustomizeError."""
    if not text:
        raise KustomizeError("empty json patch operations")
    try:
        return json_patch_of(parsed_yaml(text), strict=False)
    except PatchError as error:
        raise KustomizeError(str(error)) from error


def apply_operations(resource: Resource, operations: Operations) -> None:
    """Raises KustomizeError. What the build remembers of an object survives any patch."""
    remembered = resource.internal_annotations()
    try:
        patched = apply(operations, json_value(resource.node))
    except PatchError as error:
        raise KustomizeError(str(error)) from error
    node = from_json(patched)
    resource.node = node if isinstance(node, Map) else Map()
    resource.set_annotations({**resource.annotations(), **remembered})


def apply_merge(resource: Resource, patch: Resource) -> None:
    """A strategic merge patch. Name, namespace and kind stay, unless the patch may change them."""
    name, namespace, kind = resource.name, resource.namespace, resource.kind
    renames, rekinds = patch.is_enabled(ALLOW_NAME_CHANGE), patch.is_enabled(ALLOW_KIND_CHANGE)
    if renames or rekinds:
        resource.remember_id()
    if Merger(resource.schemas).merge(patch.node, resource.node) is None:
        resource.node = Map()
    if not resource.node:
        return
    if not rekinds:
        resource.set_kind(kind)
    if not renames:
        resource.set_name(name)
    resource.set_namespace(namespace)


def apply_merge_to(resources: ResMap, selected: Sequence[Resource], patch: Resource) -> None:
    """To several; what the patch deletes is gone."""
    ids = {one.current_id for one in selected}
    kept = []
    for resource in resources:
        if resource.current_id in ids:
            own = patch.copied()
            own.take_metadata_of(patch)
            own.set_gvk(resource.gvk)
            own.set_kind(patch.kind)
            apply_merge(resource, own)
        if resource.node:
            kept.append(resource)
    resources.replace_all(kept)


class PatchTransformer:
    """An entry of `patches`; what it holds decides which kind of patch it is."""

    def __init__(self, fields: Mapping[str, Any], loader: Loader, schemas: Schemas) -> None:
        path, inline = str(fields.get("path") or ""), str(fields.get("patch") or "").strip()
        shown = to_yaml({key: value for key, value in fields.items() if value}).decode()
        if not path and not inline:
            raise KustomizeError(f"must specify one of patch and path in\n{shown}")
        if path and inline:
            raise KustomizeError(f"patch and path can't be set at the same time\n{shown}")
        self._target = Selector(fields["target"]) if fields.get("target") is not None else None
        self._source = f"[patch: {go_quote(inline)}]"
        if path:
            try:
                inline = loader.load(path).decode("utf-8", "replace")
            except KustomizeError as error:
                raise error.within(f"failed to get the patch file from path({path})") from error
            self._source = f"[path: {go_quote(path)}]"
        self._merges: list[Resource] = []
        self._operations: Operations = []
        self._read(inline, fields.get("options") or {}, schemas)

    def _read(self, text: str, options: Mapping[str, Any], schemas: Schemas) -> None:
        merges: list[Resource] | None
        operations: Operations | None
        try:
            merges = resources_from(text, schemas)
        except KustomizeError:
            merges = None
        try:
            operations = operations_of(text)
        except KustomizeError:
            operations = None
        if merges and operations:
            raise KustomizeError(f"illegally qualifies as both an SM and JSON patch: {self._source}")
        if merges is None and operations is None:
            raise KustomizeError(f"unable to parse SM or JSON patch from {self._source}")
        if merges is None:
            self._operations = operations or []
            return
        self._merges = merges
        for patch in merges:
            for name, annotation in (
                ("allowNameChange", ALLOW_NAME_CHANGE),
                ("allowKindChange", ALLOW_KIND_CHANGE),
            ):
                if options.get(name):
                    patch.enable(annotation)

    def transform(self, resources: ResMap) -> None:
        if self._merges:
            self._merge(resources)
        elif self._operations:
            self._operate(resources)

    def _merge(self, resources: ResMap) -> None:
        if self._target is None:
            for patch in self._merges:
                wanted = patch.original_id
                try:
                    target = resources.by_any_id(wanted)
                except KustomizeError as error:
                    raise error.within(f"no resource matches strategic merge patch {go_quote(str(wanted))}") from error
                apply_merge(target, patch)
            return
        if len(self._merges) > 1:
            raise KustomizeError(
                "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field: "
                + self._source
            )
        try:
            selected = resources.select(self._target)
        except KustomizeError as error:
            raise error.within(f"unable to find patch target {go_quote(str(self._target))} in `resources`") from error
        apply_merge_to(resources, selected, self._merges[0])

    def _operate(self, resources: ResMap) -> None:
        if self._target is None:
            raise KustomizeError(f"must specify a target for JSON patch {self._source}")
        for resource in resources.select(self._target):
            resource.remember_id()
            apply_operations(resource, self._operations)


class StrategicMergeTransformer:
    """`patchesStrategicMerge`: each of `paths` is a file, or the patch itself."""

    def __init__(self, paths: Sequence[str], inline: str, loader: Loader, schemas: Schemas) -> None:
        if not paths and not inline:
            raise KustomizeError("empty file path and empty patch content")
        self._patches: list[Resource] = []
        for path in paths:
            try:
                self._patches += resources_from(path, schemas)
            except KustomizeError:
                data = loader.load(path)
                try:
                    self._patches += resources_from(data, schemas)
                except KustomizeError as error:
                    raise in_file(error, path) from error
        if inline:
            self._patches += resources_from(inline, schemas)
        if not self._patches:
            raise KustomizeError(f"patch appears to be empty; files=[{' '.join(paths)}], Patch={inline}")

    def transform(self, resources: ResMap) -> None:
        for patch in self._patches:
            apply_merge_to(resources, [resources.by_any_id(patch.original_id)], patch)


class JSONPatchTransformer:
    """An entry of `patchesJson6902`."""

    def __init__(self, fields: Mapping[str, Any], loader: Loader) -> None:
        target = fields.get("target") or {}
        path, text = str(fields.get("path") or ""), str(fields.get("jsonOp") or "")
        if not target.get("name"):
            raise KustomizeError("must specify the target name")
        if not path and not text:
            raise KustomizeError("empty file path and empty jsonOp")
        if path:
            if text:
                raise KustomizeError("must specify a file path or jsonOp, not both")
            text = loader.load(path).decode("utf-8", "replace")
            if not text:
                raise KustomizeError(f"patch file '{path}' empty seems to be empty")
        self._target = Selector(target)
        self._operations = self._decoded(text)
        if not self._operations:
            raise KustomizeError(f"patch appears to be empty; file={path}, JsonOp={_as_json(text)}")

    @staticmethod
    def _decoded(text: str) -> Operations:
        try:
            return operations_of(text)
        except KustomizeError as error:
            raise error.within(f"decoding {_as_json(text)}") from error

    def transform(self, resources: ResMap) -> None:
        for resource in resources.select(self._target):
            apply_operations(resource, self._operations)


def _as_json(text: str) -> str:
    if text.startswith("["):
        return text
    value = parsed_yaml(text)
    return go_json(sorted_keys(value) if isinstance(value, dict) else value)
