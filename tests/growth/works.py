"""What works on more than a text: merging, comparing, selecting and counting. One line each.

A line is a name and what is done with an input of a size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from localplane.apimachinery import objectmeta
from localplane.apimachinery.cel import compile_rules
from localplane.apimachinery.errors import Invalid
from localplane.apimachinery.fieldpath import Path, invalid
from localplane.apimachinery.groups import GroupKind, GroupVersion
from localplane.apimachinery.managedfields import FieldManager
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import json_patch, merge_patch, strategic
from localplane.apimachinery.patch.values import copied, same
from localplane.apimachinery.quantity import ZERO, parse
from localplane.apimachinery.schema import Schema
from localplane.apimachinery.selectors import fields, labels
from localplane.apimachinery.serializers.json import parse_json
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.apiserver.endpoints.filters.warning_headers import warning_headers
from localplane.apiserver.endpoints.writes.patches import as_written, opened_by_paths
from localplane.catalog.core.pods.updates import spec_update_errors
from localplane.catalog.groups import groups
from localplane.catalog.options import CatalogOptions
from localplane.catalog.quota import evaluators
from localplane.servers.kube.rbac.bindings import BindingIndex
from localplane.servers.kube.rbac.coverage import TooManyPieces, described, uncovered
from localplane.servers.kube.rbac.rules import CompiledRule
from tests.growth.measuring import Work

_NOW = "2026-01-02T03:04:05Z"
_SCHEMAS = {each.kind: each.versions[0].compiled for group in groups(CatalogOptions()) for each in group.resources}
_POD, _DEPLOYMENT = _SCHEMAS["Pod"].root, _SCHEMAS["Deployment"]


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    work: Work


def of(name: str, do: Callable[[Any], Any], make: Callable[[int], Any]) -> Case:
    """`do` is measured, what `make` makes is not."""

    def work(size: int) -> Callable[[], Any]:
        given = make(size)
        return lambda: do(given)

    return Case(name, work)


def numbered(form: str, count: int, start: int = 0) -> list[str]:
    return [form.format(number) for number in range(start, start + count)]


def pod(**spec: Any) -> JSONObject:
    return {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}], **spec}}


def volumes(names: Iterable[str], **more: Any) -> list[JSONObject]:
    return [{"name": name, **more} for name in names]


# --- metadata ---


def _owners(count: int) -> list[JSONObject]:
    return [
        {"apiVersion": "v1", "kind": "Pod", "name": f"n{n}", "uid": f"u{n}", "controller": True} for n in range(count)
    ]


def _new_finalizers(count: int) -> Any:
    old = {"finalizers": numbered("a.io/o{}", count), "deletionTimestamp": _NOW}
    new = {"finalizers": numbered("a.io/n{}", count), "deletionTimestamp": _NOW}
    return new, old


def _told(errors: Any) -> Any:
    return to_json(Invalid.of(GroupKind("", "Pod"), "p", errors).status())


def _errors(count: int) -> Any:
    """Each shows all there is."""
    whole = list(range(count))
    return [invalid(Path("a")[number], whole, "is wrong") for number in range(count)]


def _changed_containers(count: int) -> Any:
    """Every container has a line that differs, between many that don't."""
    return tuple(
        {"containers": [{"name": f"c{n}", "env": [{"name": "a", "value": f"{value}{n}"}]} for n in range(count // 4)]}
        for value in ("x", "y")
    )


# --- patches ---


def _merged(given: tuple[JSONObject, JSONObject]) -> Any:
    return strategic.merge(_POD, copied(given[0]), copied(given[1]))


def _deletions(count: int) -> Any:
    return pod(volumes=volumes(numbered("v{}", count))), {
        "spec": {"volumes": [{"$patch": "delete", **each} for each in volumes(numbered("v{}", count))]}
    }


def _replacements(count: int) -> Any:
    return pod(volumes=volumes(numbered("v{}", count))), {
        "spec": {"volumes": [{"$patch": "replace"}, *volumes(numbered("w{}", count))]}
    }


def _ordered(count: int) -> Any:
    names = numbered("v{}", count)
    order = volumes(reversed([*names, *numbered("w{}", count)]))
    return pod(volumes=volumes(names)), {
        "spec": {"$setElementOrder/volumes": order, "volumes": volumes(reversed(numbered("w{}", count)))}
    }


def _ordered_after_deletions(count: int) -> Any:
    names, new = numbered("v{}", count), numbered("w{}", count)
    change = [*({"$patch": "delete", **each} for each in volumes(names)), *volumes(new)]
    return pod(volumes=volumes(names)), {"spec": {"$setElementOrder/volumes": volumes(new), "volumes": change}}


def _primitives(count: int) -> Any:
    document = {"metadata": {"finalizers": numbered("a.io/{}", count)}}
    gone = numbered("a.io/{}", count)
    return document, {
        "metadata": {"$deleteFromPrimitiveList/finalizers": gone, "finalizers": numbered("b.io/{}", count)}
    }


def _many_directives(count: int) -> Any:
    return pod(), {"spec": {"$retainKeys": numbered("k{}", count), **dict.fromkeys(numbered("k{}", count), "x")}}


def _operations(path: str, *, op: str = "add") -> Callable[[int], Any]:
    def make(count: int) -> Any:
        operations = [{"op": op, "path": path.format(n), "from": path.format(n), "value": n} for n in range(count)]
        return operations[: json_patch.MAX_OPERATIONS], {
            "a": list(range(count)),
            "b": dict.fromkeys(numbered("{}", count), 1),
        }

    return make


def _json_patched(given: Any) -> Any:
    return json_patch.apply(*given)


def _shown(given: Any) -> Any:
    operations, document = given
    return as_written(_POD, document, opened_by_paths(each["path"] for each in operations))


# --- server-side apply ---


def _fields() -> FieldManager:
    return FieldManager(_DEPLOYMENT, GroupVersion("apps", "v1"), "Deployment")


def _deployment(names: Iterable[str], labelled: Iterable[str] = ()) -> JSONObject:
    containers = [{"name": name, "image": "i", "env": [{"name": "E", "value": "1"}]} for name in names]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "default", "labels": dict.fromkeys(labelled, "x")},
        "spec": {"template": {"spec": {"containers": containers}}},
    }


def _managed_by_many(count: int) -> JSONObject:
    """Each has one label of its own."""
    obj = _deployment(["c"], numbered("l{}", count))
    obj["metadata"]["managedFields"] = [
        {
            "manager": f"m{n}",
            "operation": "Apply",
            "apiVersion": "apps/v1",
            "time": _NOW,
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:metadata": {"f:labels": {f"f:l{n}": {}}}},
        }
        for n in range(count)
    ]
    return obj


def _applied(given: Any) -> Any:
    live, applied = given
    return _fields().apply(live, applied, manager="me", force=True, now=_NOW)


def _apply_of_many(count: int) -> Any:
    live = _fields().update(None, _deployment(numbered("c{}", count)), manager="other", now=_NOW)
    return live, _deployment(numbered("c{}", count, count // 2))


def _conflicting(given: Any) -> Any:
    from localplane.apimachinery.managedfields import ApplyConflict

    try:
        _fields().apply(*given, manager="me", force=False, now=_NOW)
    except ApplyConflict as error:
        return to_json(error.status())


def _conflicts(count: int) -> Any:
    live = _fields().update(None, _deployment(["c"], numbered("l{}", count)), manager="other", now=_NOW)
    applied = _deployment(["c"])
    applied["metadata"]["labels"] = dict.fromkeys(numbered("l{}", count), "y")
    return live, applied


# --- custom resources ---

_ITEM = {
    "type": "object",
    "properties": {"k": {"type": "string"}, "v": {"type": "string", "default": "d"}},
    "required": ["k"],
}
_LISTS = {
    "type": "object",
    "properties": {
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "unique": {
            "type": "array",
            "uniqueItems": True,
            "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        },
        "map": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": {
                "type": "object",
                "required": ["k"],
                "properties": {"k": {"type": "string"}, "v": {"type": "string", "default": "d"}},
            },
        },
        "plain": {"type": "array", "items": {"type": "string", "maxLength": 3, "enum": ["a", "b"]}},
        "open": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 5}},
        "either": {"type": "array", "items": {"anyOf": [{"minLength": 9}, {"pattern": "^x"}], "type": "string"}},
    },
}
_CUSTOM = Schema.of(_LISTS)


def _custom(**spec: Any) -> Callable[[Any], Any]:
    """Prune, default, validate, and validate again as a change, where what was wrong before is forgiven."""

    def write(obj: JSONObject) -> Any:
        new = copied(obj)
        _CUSTOM.prune(new)
        _CUSTOM.default(new)
        _CUSTOM.decode(new, kind="Custom")
        errors = _CUSTOM.validate(new)
        return errors, _CUSTOM.validate(copied(new), new)

    return write


_CUSTOM_FILLS: dict[str, Callable[[int], JSONObject]] = {
    "a set of distinct items": lambda n: {"set": numbered("{}", n)},
    "a set of equal items": lambda n: {"set": ["a"] * n},
    "a set of pairs": lambda n: {"set": numbered("{}", n // 2) * 2},
    "a map of distinct items": lambda n: {"map": [{"k": f"{i}"} for i in range(n)]},
    "a map of equal items": lambda n: {"map": [{"k": "a"} for _ in range(n)]},
    "a list of unique objects": lambda n: {"unique": [{"a": i} for i in range(n)]},
    "a list of equal objects": lambda n: {"unique": [{"a": 1} for _ in range(n)]},
    "wrong items": lambda n: {"plain": numbered("wrong{}", n)},
    "wrong values": lambda n: {"open": dict.fromkeys(numbered("{}", n), 1)},
    "alternatives": lambda n: {"either": numbered("a{}", n)},
    "unknown fields": lambda n: dict.fromkeys(numbered("unknown{}", n), 1),
    "nothing": lambda n: {"plain": [None] * n, "map": [None] * n},
}

_RULES = compile_rules(
    {
        "type": "object",
        "properties": {
            "list": {"type": "array", "maxItems": 100_000, "items": {"type": "string", "maxLength": 10}},
            "map": {
                "type": "array",
                "maxItems": 100_000,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k"],
                "items": {
                    "type": "object",
                    "required": ["k"],
                    "properties": {"k": {"type": "string", "maxLength": 10}},
                    "x-kubernetes-validations": [{"rule": "self.k != 'x'"}, {"rule": "self.k == oldSelf.k"}],
                },
            },
        },
        "x-kubernetes-validations": [{"rule": "!has(self.list) || self.list.all(each, size(each) < 10)"}],
    },
    any_cost=True,
)

# --- roles ---


def _rule(count: int, **more: Any) -> JSONObject:
    parts = {"apiGroups": "g{}", "resources": "r{}", "verbs": "v{}", "resourceNames": "n{}"}
    return {name: numbered(form, count) for name, form in parts.items()} | more


def _escalation(given: tuple[list[JSONObject], list[JSONObject]]) -> Any:
    try:
        return described(islice(uncovered(*given), 100))
    except TooManyPieces:
        return None


def _bindings(count: int) -> list[JSONObject]:
    subjects = [{"kind": "User", "name": name} for name in numbered("u{}", count)]
    return [{"metadata": {"name": "b"}, "roleRef": {"kind": "Role", "name": "r"}, "subjects": subjects}]


def _counted_pod(count: int) -> JSONObject:
    return pod(
        containers=[
            {"name": f"c{number}", "resources": {"requests": {"cpu": f"{number}m", f"a.io/{number}": "1"}}}
            for number in range(count)
        ]
    )


WORKS: tuple[Case, ...] = (
    # --- metadata ---
    of(
        "labels",
        lambda given: _told(objectmeta.validate_labels(given, Path("l"))),
        lambda n: dict.fromkeys(numbered("-{}-", n), "!"),
    ),
    of(
        "annotations",
        lambda given: _told(objectmeta.validate_annotations(given, Path("a"))),
        lambda n: dict.fromkeys(numbered("{}", n), "x"),
    ),
    of("a refused update of a pod", lambda given: _told(spec_update_errors(*given)), _changed_containers),
    of("owner references", lambda given: _told(objectmeta.validate_owner_references(given, Path("o"))), _owners),
    of("finalizers", lambda given: _told(objectmeta.validate_finalizers(given, Path("f"))), lambda n: ["!"] * n),
    of("new finalizers", lambda given: _told(objectmeta.validate_object_meta_update(*given)), _new_finalizers),
    of(
        "manager's name", lambda given: _told(objectmeta.validate_field_manager(given, Path("m"))), lambda n: "\x01" * n
    ),
    of("errors with long values", _told, _errors),
    of("warnings", warning_headers, lambda n: numbered("warning {}", n)),
    # --- bodies ---
    of(
        "JSON with repeated keys",
        lambda body: parse_json(body, find_duplicates=True),
        lambda n: b"{%b}" % b",".join([b'"a":1'] * n),
    ),
    of(
        "JSON with distinct keys",
        lambda body: parse_json(body, find_duplicates=True),
        lambda n: b"{%b}" % b", ".join(b'"%d":1' % i for i in range(n)),
    ),
    of(
        "YAML with distinct keys",
        lambda body: parse_yaml(body, find_duplicates=True),
        lambda n: "".join(f"k{i}: 1\n" for i in range(n)),
    ),
    of("YAML with repeated keys", lambda body: parse_yaml(body, find_duplicates=True), lambda n: "a: 1\n" * n),
    of(
        "YAML with anchors",
        parse_yaml,
        lambda n: "".join(f"k{i}: &a{i} 1\n" for i in range(n)) + "".join(f"l{i}: *a{i}\n" for i in range(n)),
    ),
    of(
        "YAML with merge keys",
        parse_yaml,
        lambda n: "a: &a {b: 1}\n" + "".join(f"k{i}: {{<<: *a}}\n" for i in range(n)),
    ),
    of("values, copied", copied, lambda n: {"a": [None] * n, "b": dict.fromkeys(numbered("{}", n))}),
    of("values, compared", lambda given: same(given, copied(given)), lambda n: [{"a": i} for i in range(n)]),
    # --- patches ---
    of("strategic merge, deletions", _merged, _deletions),
    of("strategic merge, replacements", _merged, _replacements),
    of("strategic merge, an order", _merged, _ordered),
    of("strategic merge, an order after deletions", _merged, _ordered_after_deletions),
    of("strategic merge, primitives", _merged, _primitives),
    of("strategic merge, directives", _merged, _many_directives),
    of(
        "merge patch",
        lambda given: merge_patch.apply(given, {"a": dict(given)}),
        lambda n: dict.fromkeys(numbered("{}", n)),
    ),
    of(
        "merge patch, difference",
        lambda given: merge_patch.diff(given, {}),
        lambda n: {f"{i}": {"a": i} for i in range(n)},
    ),
    of("JSON patch, inserts", _json_patched, _operations("/a/0")),
    of("JSON patch, removals", _json_patched, _operations("/a/0", op="remove")),
    of("JSON patch, appends", _json_patched, _operations("/a/-")),
    of("JSON patch, members", _json_patched, _operations("/b/{}")),
    of(
        "JSON patch, tests",
        lambda given: _json_patched(([{"op": "test", "path": "/b", "value": given[1]["b"]}], given[1])),
        _operations("/b/{}"),
    ),
    of("JSON patch, moves", _json_patched, _operations("/b/{}", op="move")),
    of("JSON patch, copies", _json_patched, _operations("/b/{}", op="copy")),
    of("JSON patch, shown", _shown, _operations("/b/{}/c")),
    # --- server-side apply ---
    of(
        "managed fields, update",
        lambda obj: _fields().update(None, obj, manager="me", now=_NOW),
        lambda n: _deployment(numbered("c{}", n)),
    ),
    of(
        "managed fields, of many managers",
        lambda obj: _fields().update(obj, _deployment(["c"]), manager="me", now=_NOW),
        _managed_by_many,
    ),
    of("apply, many fields", _applied, _apply_of_many),
    of("apply, many managers", lambda obj: _applied((obj, _deployment(["c"], ["l0"]))), _managed_by_many),
    of("apply, conflicts", _conflicting, _conflicts),
    # --- custom resources ---
    *(of(f"custom resource, {name}", _custom(), make) for name, make in _CUSTOM_FILLS.items()),
    of("rules over a list", lambda obj: _RULES.validate(obj, obj), lambda n: {"list": numbered("{}", n)}),
    of("rules over a map", lambda obj: _RULES.validate(obj, obj), lambda n: {"map": [{"k": f"{i}"} for i in range(n)]}),
    of(
        "rules over a map, turned round",
        lambda obj: _RULES.validate(obj, {"map": obj["map"][::-1]}),
        lambda n: {"map": [{"k": f"{i}"} for i in range(n)]},
    ),
    of("CEL, a long sum", lambda text: compile_rules(_with_rule(text)), lambda n: "+".join(["1"] * n) + " > 0"),
    of(
        "CEL, a long list",
        lambda text: compile_rules(_with_rule(text)),
        lambda n: f"[{','.join(['1'] * n)}].size() > 0",
    ),
    # --- roles ---
    of("escalation, nothing owned", lambda rule: _escalation(([], [rule])), _rule),
    of("escalation, all owned", lambda rule: _escalation(([rule], [rule])), _rule),
    of(
        "escalation, many rules",
        lambda rules: _escalation((rules, rules)),
        lambda n: [_rule(1, verbs=[f"v{i}"]) for i in range(n)],
    ),
    of(
        "escalation, paths",
        lambda rule: _escalation(([rule], [rule])),
        lambda n: {"verbs": ["get"], "nonResourceURLs": numbered("/a{}/*", n)},
    ),
    of("rules of a role, compiled", CompiledRule, _rule),
    of("bindings", lambda given: BindingIndex(given, "ns"), _bindings),
    # --- selectors and amounts ---
    of(
        "label selector, matched",
        lambda given: labels.parse(given).matches({"a": "1"}),
        lambda n: ",".join(numbered("a!=v{}", n)),
    ),
    of(
        "label selector, a set",
        lambda given: str(labels.parse(given)),
        lambda n: f"a in ({','.join(numbered('v{}', n))})",
    ),
    of(
        "field selector, matched",
        lambda given: fields.parse(given).matches({"a": "1"}),
        lambda n: ",".join(numbered("a!=v{}", n)),
    ),
    of("quantities, added", lambda given: sum(map(parse, given), ZERO), lambda n: numbered("{}.5Gi", 4 * n)),
    of("usage of a pod", evaluators.pod_usage, _counted_pod),
    of(
        "usage of a service",
        evaluators.service_usage,
        lambda n: {"spec": {"type": "LoadBalancer", "ports": [{"nodePort": i} for i in range(n)]}},
    ),
)


def _with_rule(text: str) -> JSONObject:
    return {"type": "object", "x-kubernetes-validations": [{"rule": text}]}
