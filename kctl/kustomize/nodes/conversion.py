"""From nodes to JSON values, and to the YAML that is printed: keys sorted, comments gone.

Kubernetes: kyaml/yaml, RNode.MarshalJSON; api/resource, Resource.AsYAML.
"""

from __future__ import annotations

from typing import Any

from kctl.kustomize.errors import KustomizeError
from localplane.apimachinery.golang.text import go_float, go_quote
from localplane.apimachinery.serializers import yaml_scalars, yaml_writer

from .node import FLOAT, NULL, STR, Map, Node, Scalar, Seq
from .scalars import resolve, value_of


def json_value(node: Node) -> Any:
    """Raises KustomizeError for what JSON can't say."""
    return _json(node, outermost=True)


def _json(node: Node, *, outermost: bool = False, flow: bool = False) -> Any:
    """`flow`: within braces or brackets, where nothing at all is an empty text once it is written again."""
    if isinstance(node, Scalar):
        return "" if flow and not node.text and not node.style else value_of(node)
    flow = flow or node.flow
    if isinstance(node, Seq):
        return [_json(item, flow=flow) for item in node]
    if node.repeated:
        raise KustomizeError("yaml: unmarshal errors:\n  " + "\n  ".join(node.repeated))
    if not outermost and any(key in node for key in node.odd):
        raise KustomizeError("json: unsupported type: map[interface {}]interface {}")
    return {key: _json(value, flow=flow) for key, value in node.items()}


def to_yaml(node: Node) -> str:
    return yaml_writer.to_yaml(json_value(node)).decode("utf-8", "replace")


def from_json(value: Any, *, quoted: bool = False) -> Node:
    """A value as a node. `quoted` if it is read as JSON is, where every text has quotes; else as YAML has it.

    In the latter case numbers have been floats: a patch turns 1000000 into 1e+06.
    """
    if isinstance(value, dict):
        mapping = Map((key, from_json(item, quoted=quoted)) for key, item in value.items())
        mapping.flow = quoted
        return mapping
    if isinstance(value, list):
        sequence = Seq(from_json(item, quoted=quoted) for item in value)
        sequence.flow = quoted
        return sequence
    if value is None:
        return Scalar("null", NULL)
    if isinstance(value, str):
        style = '"' if quoted else "|" if "\n" in value else "" if _reads_as_text(value) else '"'
        return Scalar(value, STR, style)
    if isinstance(value, bool):
        return Scalar("true" if value else "false", "!!bool")
    written = str(value) if quoted and isinstance(value, int) else go_float(float(value))
    return Scalar(written, resolve(written)[0])


def _reads_as_text(value: str) -> bool:
    return resolve(value)[0] == STR


def go_syntax(node: Node) -> str:
    """Go's %#v of an object that can't be printed otherwise. Keys that are no texts come last."""
    try:
        return _go_syntax(node, outermost=True)
    except KustomizeError:
        return "map[string]interface {}(nil)"


def _go_syntax(node: Node, *, outermost: bool = False) -> str:
    if isinstance(node, Scalar):
        value = resolve(node.text)[1] if node.tag == FLOAT else value_of(node)
        return yaml_scalars.go_syntax(value, 1)
    if isinstance(node, Seq):
        return f"[]interface {{}}{{{', '.join(map(_go_syntax, node))}}}"
    if node.repeated:
        raise KustomizeError("a key came twice")
    odd = {key for key in node if key in node.odd} if not outermost else set()
    shown = [(key in odd, key if key in odd else go_quote(key), _go_syntax(node[key])) for key in sorted(node)]
    kind = "map[interface {}]interface {}" if odd else "map[string]interface {}"
    return f"{kind}{{{', '.join(f'{key}:{value}' for _, key, value in sorted(shown, key=lambda row: row[0]))}}}"
