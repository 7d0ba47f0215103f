"""Whole objects: JSON, YAML, KYAML, and `kind.group/name`.

Kubernetes: cli-runtime/pkg/printers, json.go, yaml.go, kyaml.go, name.go, managedfields.go.
"""

from __future__ import annotations

from collections.abc import Callable

from kctl.errors import KctlError
from kctl.printers import kyaml
from kctl.printers.terminal import escape
from localplane.apimachinery.golang.text import go_json, json_string
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.apimachinery.serializers import yaml_writer

Write = Callable[[str], object]

_NO_KIND = "missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type"


def is_list(obj: JSONObject) -> bool:
    return isinstance(obj.get("items"), list)


def without_managed_fields(obj: JSONObject) -> JSONObject:
    """A copy, of a list's items as well."""
    if is_list(obj):
        return {**obj, "items": [without_managed_fields(item) for item in obj["items"]]}
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {key: value for key, value in metadata.items() if key != "managedFields"}}


def go_indented(value: Any, *, indent: int = 4, sort: bool = True) -> str:
    """JSON as Go writes it, with its own escapes. Maps are sorted; without `sort` the order stays: a struct's."""
    return _indented(sorted_keys(value) if sort else value, " " * indent, "")


def _indented(value: Any, step: str, margin: str) -> str:
    if not isinstance(value, (dict, list)):
        return go_json(value)
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    inner = margin + step
    if isinstance(value, dict):
        parts = [f"{json_string(key)}: {_indented(item, step, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{margin}}}"
    parts = [_indented(item, step, inner) for item in value]
    return "[\n" + ",\n".join(inner + part for part in parts) + f"\n{margin}]"


class JSONPrinter:
    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        if event:
            write(go_json({"type": event, "object": sorted_keys(obj)}) + "\n")
            return
        _require_kind(obj)
        write(go_indented(obj) + "\n")


class YAMLPrinter:
    """Documents after the first begin with `---`."""

    def __init__(self) -> None:
        self._printed = False

    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        if self._printed:
            write("---\n")
        self._printed = True
        if event:
            obj = {"type": event, "object": obj}
        else:
            _require_kind(obj)
        write(yaml_writer.to_yaml(obj).decode())


class KYAMLPrinter:
    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        if event:
            write(kyaml.to_kyaml({"type": event, "object": sorted_keys(obj)}, sort=False))
            return
        _require_kind(obj)
        write(kyaml.to_kyaml(obj))


class NamePrinter:
    """`operation` is what was done to it: `created`. With `short`, the name alone."""

    def __init__(self, operation: str = "", *, short: bool = True) -> None:
        self._after = f" {operation}" if operation and not short else ""

    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        del event
        if is_list(obj):
            for item in obj["items"]:
                self.print(item, write)
            return
        _require_kind(obj)
        name = (obj.get("metadata") or {}).get("name") or "<unknown>"
        write(escape(f"{kind_and_group(obj)}/{name}{self._after}\n"))


def kind_and_group(obj: JSONObject) -> str:
    """`configmap`, `deployment.apps`."""
    group, slash, _ = str(obj.get("apiVersion", "")).rpartition("/")
    kind = str(obj.get("kind", "")).lower() or "<unknown>"
    return f"{kind}.{group}" if slash and group else kind


def _require_kind(obj: JSONObject) -> None:
    if not obj.get("kind") and not obj.get("apiVersion"):
        raise KctlError(_NO_KIND)
