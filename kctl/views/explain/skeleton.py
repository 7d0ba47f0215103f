"""`-o skeleton`: a manifest to be filled in, with the fields that are required and those that are mostly wanted.

With --all every other field is there too, behind a `#`, and each has what it means above it, behind `##`: what is left
out of a comment is a manifest that the server takes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kctl.errors import KctlError
from kctl.views.explain import text
from kctl.views.explain.documents import resolved, schema_of
from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.apimachinery.objects import JSONObject

_WANTED = {
    "ObjectMeta": ("name",),
    "PodTemplateSpec": ("metadata", "spec"),
    "PodTemplateSpec.metadata": ("labels",),
    "Container": ("name", "image"),
    "DeploymentSpec": ("replicas", "selector", "template"),
    "ReplicaSetSpec": ("replicas", "selector", "template"),
    "StatefulSetSpec": ("replicas", "serviceName", "selector", "template"),
    "DaemonSetSpec": ("selector", "template"),
    "LabelSelector": ("matchLabels",),
    "JobTemplateSpec": ("spec",),
    "ServiceSpec": ("selector", "ports"),
    "ServicePort": ("port", "targetPort"),
    "ConfigMap": ("data",),
    "Secret": ("type", "stringData"),
    "PersistentVolumeClaimSpec": ("accessModes", "resources"),
    "VolumeResourceRequirements": ("requests",),
    "IngressSpec": ("ingressClassName", "rules"),
    "IngressRule": ("host", "http"),
    "HTTPIngressPath": ("path",),
    "IngressBackend": ("service",),
    "IngressServiceBackend": ("name", "port"),
    "ServiceBackendPort": ("number",),
    "NetworkPolicySpec": ("podSelector", "policyTypes", "ingress"),
    "HorizontalPodAutoscalerSpec": ("scaleTargetRef", "minReplicas", "maxReplicas", "metrics"),
    "CrossVersionObjectReference": ("apiVersion",),
    "PodDisruptionBudgetSpec": ("minAvailable", "selector"),
    "Role": ("rules",),
    "ClusterRole": ("rules",),
    "RoleBinding": ("roleRef", "subjects"),
    "ClusterRoleBinding": ("roleRef", "subjects"),
    "PolicyRule": ("apiGroups", "resources", "verbs"),
    "Subject": ("kind", "name"),
    "ResourceQuotaSpec": ("hard",),
}
"""Beside those that are required; by the schema's name, in the order in which people write them."""
_USUAL = {
    **{f"{one}Spec.replicas": "1" for one in ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")},
    "HorizontalPodAutoscalerSpec.minReplicas": "1",
    "HorizontalPodAutoscalerSpec.maxReplicas": "10",
    "Secret.type": "Opaque",
    "HTTPIngressPath.path": "/",
    "HTTPIngressPath.pathType": "Prefix",
}
"""Better than nothing, where the schema has no default."""
_BY_SERVER = frozenset(
    [
        "status",
        "managedFields",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "resourceVersion",
        "selfLink",
        "uid",
    ]
)
_WIDTH = 100
_ZEROS = {"string": '""', "integer": "0", "number": "0", "boolean": "false"}


def skeleton(
    document: JSONObject, kind: dict[str, str], path: Sequence[str], options: text.Options, *, every: bool = False
) -> str:
    """Of a kind, or of what is at a path of its fields; with `every` field and what it means. Raises KctlError for a
    field that is not there."""
    schema = schema_of(document, kind)
    drawing = _Skeleton(document, options, every=every)
    if not path:
        version = "/".join(filter(None, (kind.get("group"), kind.get("version"))))
        head = f"apiVersion: {version}\nkind: {kind.get('kind', '')}\n"
        return head + "".join(f"{line}\n" for line in drawing.fields(schema, 1, frozenset(), at=kind.get("kind", "")))
    for name in path:
        schema = drawing.field(schema, name)
    lines = drawing.value(schema, 1, frozenset(), at="")
    return f"{path[-1]}:{_below(lines)}\n"


class _Skeleton:
    def __init__(self, document: JSONObject, options: text.Options, *, every: bool) -> None:
        self._document = document
        self._options = options
        self._every = every

    def field(self, schema: JSONObject, name: str) -> JSONObject:
        found = self._whole(schema)
        while name not in (found.get("properties") or {}):
            inner = found.get("items") or found.get("additionalProperties")
            if not isinstance(inner, dict):
                known = sorted(found.get("properties") or {})
                raise KctlError(f"field {go_quote(name)} does not exist", mistyped=(name, known))
            found = self._whole(inner)
        field: JSONObject = found["properties"][name]
        return field

    def fields(self, schema: JSONObject, level: int, seen: frozenset[str], *, at: str) -> Iterator[str]:
        """A line for each, and those below it; `at` is the name of the schema."""
        properties = schema.get("properties") or {}
        usual = set(self._usual(schema, at=at, top=level == 1))
        for name in self._chosen(schema, at=at, top=level == 1):
            below = self.value(properties[name], level + 1, seen, at=f"{at}.{name}")
            lines = f"{name}:{_below(below)}".split("\n")
            if self._every:
                yield from self._about(properties[name], is_required=name in (schema.get("required") or ()))
                lines = lines if name in usual else [f"# {line}" for line in lines]
            yield from lines

    def _about(self, schema: JSONObject, *, is_required: bool) -> Iterator[str]:
        """What a field means, in a line or two."""
        whole = self._whole(schema)
        said = " ".join(str(whole.get("description") or "").split())
        sentence = said.partition(". ")[0].rstrip(".")
        kind = whole.get("type") or ("int or string" if whole.get("x-kubernetes-int-or-string") else "")
        words = [f"{sentence}." if sentence else "", f"({kind})" if kind else "", "Required." if is_required else ""]
        if whole.get("enum"):
            words.append(f"One of: {', '.join(map(str, whole['enum']))}.")
        line = " ".join(filter(None, words))
        yield from textwrap.wrap(line, _WIDTH, initial_indent="## ", subsequent_indent="## ", break_long_words=False)

    def _names(self, schema: JSONObject, *, top: bool) -> list[str]:
        properties = schema.get("properties") or {}
        names = [name for name in properties if not (top and name in ("apiVersion", "kind"))]
        return [name for name in names if name not in _BY_SERVER]

    def _chosen(self, schema: JSONObject, *, at: str, top: bool) -> Iterable[str]:
        usual = self._usual(schema, at=at, top=top)
        names = self._names(schema, top=top)
        if self._every:
            return [*usual, *sorted(name for name in names if name not in usual)]
        if self._options.recursive:
            return sorted(names, key=lambda name: (name != "metadata", name))
        return usual

    def _usual(self, schema: JSONObject, *, at: str, top: bool) -> list[str]:
        names = self._names(schema, top=top)
        wanted = [*_WANTED.get(at, ()), *(schema.get("required") or ()), *(("metadata", "spec") if top else ())]
        first = ("metadata", "name") if top else ("name",)
        return sorted((name for name in dict.fromkeys(wanted) if name in names), key=lambda name: name not in first)

    def value(self, schema: JSONObject, level: int, seen: frozenset[str], *, at: str) -> list[str]:
        """The lines of a value; a single one stands behind its name."""
        whole, name = self._whole(schema), _name(schema)
        if name and name in seen:
            return ["{}"]
        deeper = seen | {name} if name else seen
        if whole.get("properties"):
            if self._options.max_depth and level > self._options.max_depth:
                return ["{}"]
            known = at if at in _WANTED else name
            lines = [f"  {line}" for line in self.fields(whole, level, deeper, at=known)]
            return _unless_empty(lines)
        if whole.get("items"):
            first, *rest = self.value(whole["items"], level, deeper, at="")
            if first:
                return ["", f"- {first}", *rest]
            return ["", *(f"{'- ' if not position else '  '}{line[2:]}" for position, line in enumerate(rest))]
        return [_USUAL.get(at) or _scalar(whole)]

    def _whole(self, schema: JSONObject) -> JSONObject:
        """With what a reference, or the only part of an `allOf`, says; what is said here goes first."""
        found = resolved(self._document, schema)
        for part in found.get("allOf") or ():
            found = {**self._whole(part), **{key: value for key, value in found.items() if key != "allOf"}}
        return found


def _unless_empty(lines: list[str]) -> list[str]:
    """Fields below a name; an empty object where all of them are comments."""
    if any(not line.lstrip().startswith("#") for line in lines):
        return ["", *lines]
    return ["{}", *lines]


def _name(schema: JSONObject) -> str:
    parts = [schema, *(schema.get("allOf") or ())]
    reference = next((str(part["$ref"]) for part in parts if part.get("$ref")), "")
    return reference.rpartition("/")[2].rpartition(".")[2]


def _scalar(schema: JSONObject) -> str:
    default: Any = schema.get("default")
    if default not in (None, {}, ""):
        return go_json(default)
    if schema.get("enum"):
        return str(schema["enum"][0]) or '""'
    if schema.get("format") == "int-or-string" or schema.get("x-kubernetes-int-or-string"):
        return "0"
    return _ZEROS.get(str(schema.get("type", "")), "{}")


def _below(lines: list[str]) -> str:
    first = f" {lines[0]}" if lines[0] else ""
    return "\n".join((first, *lines[1:]))
