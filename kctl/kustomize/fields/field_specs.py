"""Where fields of a kind of value are: `spec/template/metadata/labels` of a Deployment, and how they are set.

Kubernetes: api/types/fieldspec.go, api/filters/fieldspec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.nodes.node import Map, Node, Scalar, Seq, is_missing, is_null, raw_text
from kctl.kustomize.resources.ids import Gvk, ResId, group_version

SetValue = Callable[[Node], None]


class FieldSpec(NamedTuple):
    """Of the kinds that `gvk` selects. A path does not tell mappings from sequences: all elements are meant."""

    gvk: Gvk
    path: str
    create: bool = False

    @staticmethod
    def of(fields: dict[str, Any]) -> FieldSpec:
        """As a configuration file writes it."""
        gvk = Gvk(*(str(fields.get(name) or "") for name in ("group", "version", "kind")))
        return FieldSpec(gvk, str(fields.get("path") or ""), bool(fields.get("create")))


FieldSpecs = tuple[FieldSpec, ...]


def merged(specs: Sequence[FieldSpec], more: Iterable[FieldSpec]) -> FieldSpecs:
    """Raises KustomizeError if one of them is there with another `create`."""
    result = list(specs)
    by_path: dict[str, list[FieldSpec]] = {}
    for spec in result:
        by_path.setdefault(spec.path, []).append(spec)
    for spec in more:
        same = next((one for one in by_path.get(spec.path, ()) if one.gvk.selected_by(spec.gvk)), None)
        if same is None:
            result.append(spec)
            by_path.setdefault(spec.path, []).append(spec)
        elif same.create != spec.create:
            raise KustomizeError("conflicting fieldspecs")
    return tuple(result)


def split(path: str, delimiter: str = "/") -> list[str]:
    r"""The parts of a path; a delimiter that belongs to a part has a `\` before it."""
    pieces = path.split(delimiter)
    if len(pieces) > 1 and not pieces[0]:
        pieces = pieces[1:]
    parts = [pieces[0]]
    for piece in pieces[1:]:
        if parts[-1].endswith("\\"):
            parts[-1] = parts[-1][:-1] + delimiter + piece
        else:
            parts.append(piece)
    return parts


class Setter:
    """Sets fields of an object. With `created` (Map or Scalar) fields that should be there are made; `tag` is what a
    null becomes."""

    def __init__(self, set_value: SetValue, created: type[Map | Scalar] | None = None, tag: str = "") -> None:
        self._set_value = set_value
        self._created = created
        self._tag = tag

    def apply(self, node: Map, spec: FieldSpec) -> None:
        """Raises KustomizeError."""
        if not _applies(node, spec.gvk):
            return
        try:
            self._descend(node, split(spec.path), spec)
        except KustomizeError as error:
            raise error.within(f"considering field '{spec.path}' of object {_id_of(node)}") from error

    def _descend(self, node: Node, path: list[str], spec: FieldSpec) -> None:
        if not path:
            self._set_value(node)
        elif isinstance(node, Seq):
            for item in node:
                try:
                    self._descend(item, path, spec)
                except KustomizeError as error:
                    raise error.within(f"visit traversal on path: [{' '.join(path)}]") from error
        elif isinstance(node, Map):
            self._in_map(node, path, spec)
        elif not is_null(node):
            raise KustomizeError("expected sequence or mapping node")

    def _in_map(self, node: Map, path: list[str], spec: FieldSpec) -> None:
        name = path[0].removesuffix("[]")
        if not name:
            raise KustomizeError("cannot set or create an empty field name")
        wanted: type[Map | Scalar | Seq] | None = Seq if name != path[0] else None
        if spec.create and self._created is not None and wanted is None:
            wanted = self._created if len(path) == 1 else Map
            if name not in node:
                node[name] = Scalar("") if wanted is Scalar else Map()
        field = node.get(name)
        if field is None:
            return
        if is_null(field) and wanted is not None:
            assert isinstance(field, Scalar)
            field = node[name] = Scalar(field.text, self._tag) if wanted is Scalar else wanted()  # type: ignore[call-arg]  # no Scalar here
        self._descend(field, path[1:], spec)


def _applies(node: Map, gvk: Gvk) -> bool:
    if gvk.kind and gvk.kind != raw_text(node.get("kind")):
        return False
    group, version = group_version(raw_text(node.get("apiVersion")))
    return (not gvk.group or gvk.group == group) and (not gvk.version or gvk.version == version)


def _id_of(node: Map) -> ResId:
    metadata = node.get("metadata")
    name, namespace = (
        "" if not isinstance(metadata, Map) or is_missing(metadata.get(one)) else raw_text(metadata.get(one))
        for one in ("name", "namespace")
    )
    group, version = group_version(raw_text(node.get("apiVersion")))
    return ResId(Gvk(group, version, raw_text(node.get("kind"))), name, namespace)
