"""Variables: `$(NAME)` in the fields where kustomize looks for it. Kubernetes: api/filters/refvar, api/types/var.go."""

from __future__ import annotations

import decimal
import re
from collections.abc import Callable, Mapping
from typing import Any

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.fields.field_specs import FieldSpecs, Setter
from kctl.kustomize.fields.paths import lookup, parts_of
from kctl.kustomize.nodes.conversion import json_value
from kctl.kustomize.nodes.node import BOOL, FLOAT, INT, STR, Map, Node, Scalar, is_missing
from kctl.kustomize.resources import resmap
from kctl.kustomize.resources.ids import Gvk, ResId
from kctl.kustomize.resources.resource import Resource
from localplane.apimachinery.golang.text import go_plain

Variables = dict[str, "Variable"]
_INDEXED = re.compile(r"(.*)\[(\d+)\]")


class Variable:
    """An entry of `vars`."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        reference = fields.get("objref") or {}
        self.name = str(fields.get("name") or "")
        self.path = str((fields.get("fieldref") or {}).get("fieldPath") or "") or "metadata.name"
        group, version, kind = (str(reference.get(one) or "") for one in ("group", "version", "kind"))
        self.written = _shown(
            self.name, Gvk(group, version, kind), str((fields.get("fieldref") or {}).get("fieldPath") or "")
        )
        parts = str(reference.get("apiVersion") or "").split("/")
        if len(parts) == 2:
            group, version = parts
        elif parts[0]:
            version = parts[0]
        self.id = ResId(
            Gvk(group, version, kind), str(reference.get("name") or ""), str(reference.get("namespace") or "")
        )

    def __str__(self) -> str:
        """Go's %v; `written` is the same of what the file has."""
        return _shown(self.name, self.id.gvk, self.path)

    def matches(self, other: ResId) -> bool:
        return self.id.equals(other) if self.id.namespace else self.id.same_but_namespace(other)


def _shown(name: str, gvk: Gvk, path: str) -> str:
    return f"{{{name} {gvk} {{{path}}}}}"


def note(resources: resmap.ResMap, variables: Variables, entries: list[Mapping[str, Any]]) -> None:
    """Remember which objects the variables of a kustomization are of. Raises KustomizeError."""
    found = [Variable(entry) for entry in entries]
    for variable in found:
        matched = resources.matching(variable.matches)
        if len(matched) > 1:
            raise KustomizeError(f"found {len(matched)} resId matches for var {variable} (unable to disambiguate)")
        if matched:
            matched[0].variables.append(variable.name)
    add(variables, found)


def add(variables: Variables, more: list[Variable]) -> None:
    for variable in more:
        if variable.name in variables:
            raise KustomizeError(f"var '{variable.name}' already encountered")
        variables[variable.name] = variable


def replace(resources: resmap.ResMap, variables: Variables, specs: FieldSpecs, log: Callable[[str], None]) -> None:
    """Put the values where the variables are named. Raises KustomizeError for one that has none."""
    values = {name: _value(resources, variables[name]) for name in sorted(variables)}
    if not values:
        return
    used: set[str] = set()
    setter = Setter(_Replacer(values, used, log).replace_in)
    for resource in resources:
        for spec in specs:
            setter.apply(resource.node, spec)
    unused = [name for name in values if name not in used]
    if unused:
        log(f"well-defined vars that were never replaced: {','.join(unused)}")


def _value(resources: resmap.ResMap, variable: Variable) -> Any:
    for resource in resources:
        if variable.name in resource.variables:
            try:
                return _field_value(resource, variable.path)
            except (KustomizeError, ValueError):
                raise KustomizeError(
                    f"field specified in var '{variable}' not found in corresponding resource"
                ) from None
    raise KustomizeError(f"var '{variable}' cannot be mapped to a field in the set of known resources")


def _field_value(resource: Resource, path: str) -> Any:
    parts: list[str] = []
    for part in parts_of(path):
        match = _INDEXED.fullmatch(part)
        parts += [one for one in match.groups() if one] if match else [part]
    node = lookup(resource.node, parts)
    if node is None:
        raise KustomizeError(f"no field named '{path}'")
    if not isinstance(node, Scalar):
        return json_value(node)
    if node.tag == INT:
        return int(node.text)
    if node.tag == FLOAT:
        return float(node.text)
    return node.text.lower() == "true" if node.tag == BOOL else node.text


class _Replacer:
    def __init__(self, values: Mapping[str, Any], used: set[str], log: Callable[[str], None]) -> None:
        self._values = values
        self._used = used
        self._log = log

    def replace_in(self, node: Node) -> None:
        if is_missing(node):
            return
        if isinstance(node, Scalar):
            self._scalar(node)
        elif isinstance(node, Map):
            for name, value in node.items():
                if name in node.odd:
                    raise KustomizeError(f"invalid map key: value='{name}', tag=''")
                if isinstance(value, Scalar):
                    self._scalar(value)
        else:
            for item in node:
                if not isinstance(item, Scalar) or item.tag not in ("", STR):
                    raise KustomizeError("invalid value type expect a string")
                self._scalar(item)

    def _scalar(self, node: Scalar) -> None:
        if node.tag not in ("", STR):
            return
        value = self._expanded(node.text)
        node.style = ""
        if isinstance(value, bool):
            node.text, node.tag = str(value).lower(), BOOL
        elif isinstance(value, int):
            node.text, node.tag = str(value), INT
        elif isinstance(value, float):
            node.text, node.tag = _fixed(value), FLOAT
        else:
            node.text, node.tag = str(value), STR

    def _expanded(self, text: str) -> Any:
        """A text that is nothing but a variable gets the value as it is; `$$` is a `$`."""
        pieces: list[str] = []
        position = 0
        while position < len(text):
            character = text[position]
            following = text[position + 1 : position + 2]
            if character != "$" or not following:
                pieces.append(character)
                position += 1
            elif following == "(" and (end := text.find(")", position)) > 0:
                name = text[position + 2 : end]
                value = self._mapped(name)
                if text == f"$({name})":
                    return value
                pieces.append(go_plain(value))
                position = end + 1
            else:
                pieces.append("$" if following == "$" else f"${following}")
                position += 2
        return "".join(pieces)

    def _mapped(self, name: str) -> Any:
        value = self._values.get(name)
        if name not in self._values:
            return f"$({name})"
        if isinstance(value, (str, int, float)):
            self._used.add(name)
            return value
        kind = "map[string]interface {}" if isinstance(value, dict) else "[]interface {}"
        self._log(f"MakePrimitiveReplacer: bad replacement type={kind} val={go_plain(value)}")
        return f"$({name})"


def _fixed(value: float) -> str:
    return format(decimal.Decimal(repr(value)), "f")
