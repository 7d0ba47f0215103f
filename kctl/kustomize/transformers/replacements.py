"""Replacements: a value of one field, put into others. Kubernetes: ReplacementTransformer, api/filters/replacement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.fields.paths import Created, FieldLocation, field_locations, lookup, parts_of
from kctl.kustomize.loading.decoder import decode, parsed_yaml
from kctl.kustomize.loading.loader import Loader
from kctl.kustomize.loading.shapes import REPLACEMENT
from kctl.kustomize.nodes.node import Map, Node, Scalar, Seq, copied, copied_scalar, is_empty, raw_text, text_of
from kctl.kustomize.resources import resmap
from kctl.kustomize.resources.ids import Gvk, ResId
from kctl.kustomize.resources.resource import Resource
from kctl.kustomize.resources.selector import Selector
from localplane.apimachinery.golang.text import go_quote

from .structured_data import replace_within

Fields = Mapping[str, Any]
_DEFAULT_PATH = "metadata.name"


class ReplacementTransformer:
    def __init__(self, entries: Sequence[Fields], loader: Loader) -> None:
        self._replacements: list[Fields] = []
        for entry in entries:
            path = entry.get("path")
            if path and (entry.get("source") is not None or entry.get("targets")):
                raise KustomizeError("cannot specify both path and inline replacement")
            self._replacements += _from_file(loader.load(path)) if path else [entry]

    def transform(self, resources: resmap.ResMap) -> None:
        for replacement in self._replacements:
            source, value = replacement.get("source"), replacement.get("sourceValue")
            targets = replacement.get("targets")
            if (source is None and value is None) or targets is None:
                raise KustomizeError("replacements must specify a source and at least one target")
            if source is not None and value is not None:
                raise KustomizeError("value and resource selectors are mutually exclusive")
            node = _source_node(resources, source) if source is not None else Scalar(str(value))
            for target in targets:
                _put_into(resources, target, node)


def _from_file(data: bytes) -> list[Fields]:
    value = parsed_yaml(data)
    if isinstance(value, list):
        return [decode(one, REPLACEMENT, strict=False) or {} for one in value]
    if isinstance(value, dict):
        return [decode(value, REPLACEMENT, strict=False)]
    kind = "invalid" if value is None else "string" if isinstance(value, str) else "float64"
    kind = "bool" if isinstance(value, bool) else kind
    raise KustomizeError(f"unsupported replacement type encountered within replacement path: {kind}")


def _ids(resource: Resource) -> list[ResId]:
    """Without what is known of scopes, as kustomize compares them here."""
    current = ResId(resource.gvk, resource.name, resource.namespace)
    return [current, *resource.previous_ids()]


def _source_node(resources: resmap.ResMap, source: Fields) -> Node:
    wanted = ResId(
        Gvk(*(str(source.get(name) or "") for name in ("group", "version", "kind"))),
        str(source.get("name") or ""),
        str(source.get("namespace") or ""),
    )
    found = [one for one in resources if any(each.selected_by(wanted) for each in _ids(one))]
    if len(found) != 1:
        problem = "multiple matches for selector" if found else "nothing selected by"
        raise KustomizeError(f"{problem} {_shown(wanted, source)}")
    path = str(source.get("fieldPath") or "") or _DEFAULT_PATH
    try:
        node = lookup(found[0].node, parts_of(path))
    except KustomizeError as error:
        raise error.within("error looking up replacement source") from error
    if node is None or is_empty(node):
        raise KustomizeError(f"fieldPath `{path}` is missing for replacement source {wanted}")
    return _refined(node, source.get("options") or {})


def _shown(wanted: ResId, source: Fields) -> str:
    options = source.get("options") or {}
    delimiter, create = options.get("delimiter") or "", bool(options.get("create"))
    parts = [str(wanted)]
    if source.get("fieldPath"):
        parts.append(source["fieldPath"])
    if delimiter or create:
        parts.append(f"{delimiter}({options.get('index') or 0}), create={str(create).lower()}")
    return ":".join(parts)


def _refined(node: Node, options: Fields) -> Node:
    """One part of a text."""
    delimiter, index = options.get("delimiter") or "", int(options.get("index") or 0)
    if not delimiter:
        return node
    if not isinstance(node, Scalar):
        raise KustomizeError("delimiter option can only be used with scalar nodes")
    parts = text_of(node).split(delimiter)
    if not 0 <= index < len(parts):
        raise KustomizeError(f"options.index {index} is out of bounds for value {text_of(node)}")
    part = copied_scalar(node)
    part.text = parts[index]
    return part


def _put_into(resources: resmap.ResMap, target: Fields, value: Node) -> None:
    if target.get("select") is None:
        raise KustomizeError("target must specify resources to select")
    selector = Selector(target["select"])
    rejects = [Selector(one) for one in target.get("reject") or ()]
    for one in (selector, *rejects):
        try:
            one.compile()
        except KustomizeError as error:
            raise error.within("error creating target selector") from error
    for resource in resources:
        ids = _ids(resource)
        if not selector.matches_labels(resource):
            continue
        if any((one.label_selector or one.annotation_selector) and one.matches_labels(resource) for one in rejects):
            continue
        if any(one.id != ResId(Gvk()) and one.matches_any(ids) for one in rejects):
            continue
        if selector.matches_any(ids):
            _copy_to(resource, value, target)


def _copy_to(resource: Resource, value: Node, target: Fields) -> None:
    options = target.get("options") or {}
    created: Created | None = type(value) if options.get("create") else None
    for path in target.get("fieldPaths") or (_DEFAULT_PATH,):
        parts = parts_of(path)
        if replace_within(resource.node, parts, value, created):
            continue
        said = f"unable to find{' or create' if created else ''} field {go_quote(path)} in replacement target"
        try:
            found = field_locations(resource.node, parts, created)
        except KustomizeError as error:
            raise error.within(said) from error
        if not found:
            raise KustomizeError(said)
        for location in found:
            _set(location, value, options)


def _set(location: FieldLocation, value: Node, options: Fields) -> None:
    """A scalar keeps its type and gets another text; anything else is replaced."""
    delimiter, index = options.get("delimiter") or "", int(options.get("index") or 0)
    node, value = location.node, copied(value)
    text = raw_text(value)
    if delimiter:
        if not isinstance(node, Scalar):
            raise KustomizeError("delimiter option can only be used with scalar nodes")
        parts = node.text.split(delimiter)
        if index < 0:
            parts.insert(0, text_of(value))
        elif index >= len(parts):
            parts.append(text_of(value))
        else:
            parts[index] = text_of(value)
        text = delimiter.join(parts)
    if isinstance(node, Scalar):
        node.text = text
    elif isinstance(node, Map) and isinstance(value, Map):
        node.clear()
        node.update(value)
    elif isinstance(node, Seq) and isinstance(value, Seq):
        node[:] = value
    else:
        location.put(value)
