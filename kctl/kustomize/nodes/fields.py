"""Reading and setting fields of mappings, with kustomize's rules about nulls and quotes.

Kubernetes: kyaml/yaml/fns.go, FieldMatcher, FieldSetter, ElementSetter, ElementMatcher.
"""

from __future__ import annotations

from collections.abc import Sequence

from kctl.kustomize.errors import WrongKind

from . import emitter
from .node import STR, Map, Node, Scalar, Seq, is_missing, is_null, kind_of, raw_text
from .scalars import is_no_text_in_yaml_1_1, resolve


def require(node: Node | None, wanted: type[Scalar | Map | Seq]) -> None:
    """Raises WrongKind; what is missing fits everywhere."""
    if is_missing(node) or isinstance(node, wanted):
        return
    assert node is not None
    names = {Scalar: "ScalarNode", Map: "MappingNode", Seq: "SequenceNode"}
    error = WrongKind(
        f"wrong node kind: expected {names[wanted]} but got {kind_of(node)}: node contents:\n{emitter.emitted(node)}"
    )
    error.scalar = isinstance(node, Scalar)
    raise error


def get_field(node: Node | None, name: str) -> Node | None:
    """Raises WrongKind if it is no mapping."""
    require(node, Map)
    return node.get(name) if isinstance(node, Map) else None


def set_field(node: Node | None, name: str, value: Node | None, *, quoted: bool = False) -> None:
    """Null removes the field. A scalar that is there already keeps its quotes, and is changed where it is.

    A new key is written without quotes, unless it is `quoted`: what looks like a number is one then.
    """
    require(node, Map)
    if not isinstance(node, Map):
        return
    if value is None or (isinstance(value, Scalar) and is_null(value) and not value.kept):
        node.pop(name, None)
        return
    if isinstance(value, Scalar) and value.tag in ("", STR) and not value.style and is_no_text_in_yaml_1_1(value.text):
        value.style = '"'
    field = node.get(name)
    if field is value:
        return
    if isinstance(field, Scalar) and isinstance(value, Scalar):
        value.style = field.style
        field.text, field.tag, field.kept = value.text, value.tag, value.kept
        return
    if field is not None and not isinstance(value, Scalar):
        value.flow = not isinstance(field, Scalar) and field.flow
    if field is None and not quoted and resolve(name)[0] != STR:
        node.odd = node.odd | {name}
    node[name] = value


def set_scalar(node: Node, value: str, tag: str = "") -> None:
    """Put another text into a scalar. Raises WrongKind if it is none."""
    require(node, Scalar)
    assert isinstance(node, Scalar)
    node.text, node.tag = value, tag


def set_element(sequence: Seq, element: Node | None, keys: Sequence[str], values: Sequence[str]) -> None:
    """Replace the elements with these keys, or append; remove them if there is nothing to replace them with."""
    keys = keys or ("",)
    by_field = bool(keys[0]) and bool(values) and bool(values[0])
    kept: list[Node] = []
    replaced = False
    for item in sequence:
        if is_missing(item) or (isinstance(item, Map) and not item):
            continue
        if by_field and not isinstance(item, Map):
            kept.append(item)
        elif not _is_element(item, keys, values):
            kept += [item] if values else []
        else:
            replaced = True
            kept += [] if element is None else [element]
    sequence[:] = kept
    if element is not None and not is_null(element) and not replaced:
        sequence.append(element)


def _is_element(item: Node, keys: Sequence[str], values: Sequence[str]) -> bool:
    found: Node | None = None
    for index, key in enumerate(keys):
        if index < len(values):
            found = _matching(item, key, values[index])
        if found is None:
            return False
    return True


def _matching(item: Node, key: str, value: str) -> Node | None:
    if not key:
        require(item, Scalar)
        return item if raw_text(item) == value else None
    field = get_field(item, key)
    return field if field is not None and (not value or raw_text(field) == value) else None


def find_element(sequence: Seq, keys: Sequence[str], values: Sequence[str]) -> Node | None:
    """The first element with these keys."""
    if not keys or not keys[0]:
        wanted = values[0] if values else ""
        return next((item for item in sequence if raw_text(item) == wanted), None)
    if len(keys) != len(values):
        return None
    for item in sequence:
        if isinstance(item, Map) and all(
            key in item and raw_text(item[key]) == value for key, value in zip(keys, values, strict=True)
        ):
            return item
    return None
