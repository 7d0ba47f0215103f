"""Objects out of bytes. Kubernetes: api/resource/factory.go, api/resmap/factory.go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kctl.kustomize.errors import KustomizeError, is_malformed_yaml
from kctl.kustomize.loading.loader import Loader
from kctl.kustomize.merging import schemas
from kctl.kustomize.nodes.conversion import from_json, json_value
from kctl.kustomize.nodes.node import Map, Node, Scalar, Seq, is_empty, is_missing, is_null, raw_text, text_of
from kctl.kustomize.nodes.parser import read_nodes
from localplane.apimachinery.golang.text import go_plain, go_type_name

from .resmap import ResMap
from .resource import Resource


def resources_from(data: bytes | str, schemas: schemas.Schemas) -> list[Resource]:
    """What a file has; of lists their items. Raises KustomizeError."""
    nodes = _valid(read_nodes(data.encode() if isinstance(data, str) else data))
    return [Resource(node, schemas) for node in _inlined(nodes)]


def resmap_from_file(loader: Loader, path: str, schemas: schemas.Schemas) -> ResMap:
    """Raises KustomizeError, which says of which file."""
    data = loader.load(path)
    try:
        return ResMap(resources_from(data, schemas))
    except KustomizeError as error:
        raise in_file(error, path) from error


def in_file(error: KustomizeError, path: str) -> KustomizeError:
    said = str(error)
    if "error converting YAML to JSON" in said or "error unmarshaling JSON" in said:
        return KustomizeError(f"YAML file [{path}] encounters a format error.\n{said}\n")
    return KustomizeError(f"{said} in File: {path}") if is_malformed_yaml(error) else error


def _valid(nodes: Iterable[Node]) -> list[Map]:
    found = []
    for node in nodes:
        if not is_empty(node):
            _check_metadata(node)
            assert isinstance(node, Map)
            found.append(node)
    return found


def _check_metadata(node: Node) -> None:
    """Every object has a kind and a name."""
    fields: Mapping[str, Node] = node if isinstance(node, Map) else {}
    metadata = fields.get("metadata")
    inner: Mapping[str, Node] = metadata if isinstance(metadata, Map) else {}
    kind = text_of(fields.get("kind"))
    present = (
        fields.get("apiVersion"),
        fields.get("kind"),
        *(inner.get(name) for name in ("name", "namespace", "labels", "annotations")),
    )
    if all(map(is_empty, present)):
        raise KustomizeError("missing Resource metadata")
    if kind and (kind.endswith("List") or (not is_empty(inner.get("name")) and raw_text(inner.get("name")))):
        return
    missing = "metadata.name" if kind else "kind"
    raise KustomizeError(f"missing {missing} in object {_shown(fields, inner, kind)}")


def _shown(fields: Mapping[str, Node], metadata: Mapping[str, Node], kind: str) -> str:
    """Go's %v of what was found."""
    name = "" if is_empty(metadata.get("name")) else raw_text(metadata.get("name"))
    maps = []
    for one in ("labels", "annotations"):
        field = metadata.get(one)
        texts = {key: text_of(value) for key, value in field.items()} if isinstance(field, Map) else {}
        maps.append(go_plain(texts))
    api_version = text_of(fields.get("apiVersion"))
    return f"{{{{{api_version} {kind}}} {{{{{name} {text_of(metadata.get('namespace'))}}} {' '.join(maps)}}}}}"


def _inlined(nodes: list[Map]) -> list[Map]:
    """The items of lists, which come last."""
    found, waiting = [], list(nodes)
    while waiting:
        node = waiting.pop(0)
        kind = raw_text(node.get("kind"))
        if not kind.endswith("List") or "items" not in node:
            found.append(node)
            continue
        items = node["items"]
        if is_missing(items):
            continue
        if not isinstance(items, Seq):
            found_type = go_type_name(json_value(items))
            found_type = "int" if found_type == "int64" else found_type
            raise KustomizeError(f"expected array in {kind}/items, but found {found_type}")
        # kustomize writes them as JSON and reads them again
        waiting += _valid(_reread(from_json(json_value(item), quoted=True)) for item in items)
    return found


def _reread(node: Node) -> Node:
    return Map() if isinstance(node, Scalar) and is_null(node) else node
