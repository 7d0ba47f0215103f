"""Roles beside what somebody has asked for: what is missing in them, what nobody has needed, and what is too wide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authentication.service_accounts import groups_of, split_username
from localplane.apiserver.authorization import Attributes, Demand
from localplane.servers.kube.rbac.rules import ALL, CompiledRule

from .minimal import GROUP
from .rules import Rule, RuleBook, needs_no_role, questions, resource_of

_ROLES: Final = ("Role", "ClusterRole")
_BINDINGS: Final = ("RoleBinding", "ClusterRoleBinding")
_FIELDS: Final = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
_MOST_PIECES: Final = 100_000
_MOST_COMPARISONS: Final = 5_000_000


class InvalidRoles(ValueError):
    """One sentence."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A permission, as a rule. `namespace` is where: empty means everywhere. `role` is whose rule it is, if it is one
    of a role; `asked` is what was asked for of a rule that is too wide."""

    rule: Rule
    namespace: str = ""
    role: str = ""
    asked: Sequence[Rule] = ()

    def document(self) -> JSONObject:
        told: JSONObject = {"role": self.role, "namespace": self.namespace, "rule": self.rule, "asked": [*self.asked]}
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True, slots=True)
class Check:
    """`missing`: what was asked for and is not granted. `unused`: what is granted and was not asked for. `wide`: what
    is granted with a `*`, so that it lets more than was asked for."""

    missing: list[Finding] = field(default_factory=list)
    unused: list[Finding] = field(default_factory=list)
    wide: list[Finding] = field(default_factory=list)

    def document(self) -> JSONObject:
        return {name: [each.document() for each in getattr(self, name)] for name in ("missing", "unused", "wide")}


@dataclass(slots=True)
class _Grant:
    """One rule of a role that he has, in a namespace or (if that is empty) everywhere; and what of it was used."""

    role: str
    namespace: str
    rule: Mapping[str, Any]
    compiled: CompiledRule
    used: set[tuple[str, ...]] = field(default_factory=set)
    demands: list[Demand] = field(default_factory=list)

    def allows(self, question: Attributes) -> bool:
        return (not self.namespace or self.namespace == question.namespace) and self.compiled.allows(question)


def check_roles(user: str, demands: Sequence[Demand], objects: Iterable[Any], *, namespace: str = "default") -> Check:
    """Roles are his if the bindings among the objects say so; without any binding all of them are. `namespace` is where
    those are that don't say. What everybody may is never missing. Raises InvalidRoles."""
    grants = _grants(user, objects, namespace)
    if len(grants) * len(demands) > _MOST_COMPARISONS:
        raise InvalidRoles("there are more rules than can be compared with what was asked for")
    missing: dict[str, RuleBook] = {}
    for demand in demands:
        for question in questions(demand):
            allowing = [grant for grant in grants if grant.allows(question)]
            for grant in allowing:
                _use(grant, demand, question)
            if not allowing and not needs_no_role(user, demand):
                book = missing.setdefault(question.namespace, RuleBook())
                if demand.path:
                    book.add_path(demand.verb, demand.path)
                else:
                    book.add(demand.verb, demand.group, resource_of(demand), (question.name,) if question.name else ())
    unused, wide = _leftovers(grants)
    told = [Finding(rule, where) for where, book in sorted(missing.items()) for rule in book.rules()]
    return Check(told, unused, wide)


# --- which rules he has ---


def _grants(user: str, objects: Iterable[Any], namespace: str) -> list[_Grant]:
    roles: dict[tuple[str, str, str], JSONObject] = {}
    bindings: list[JSONObject] = []
    for obj in _flat(objects):
        kind = obj.get("kind")
        if kind not in (*_ROLES, *_BINDINGS) or str(obj.get("apiVersion")).partition("/")[0] != GROUP:
            continue
        if kind in _BINDINGS:
            bindings.append(obj)
        else:
            roles[kind, _namespace(obj, namespace), _name(obj)] = obj
    if not roles:
        raise InvalidRoles("there is no Role and no ClusterRole in it")
    if not bindings:
        return [grant for (kind, where, name), role in roles.items() for grant in _rules_of(role, kind, name, where)]
    mine = [binding for binding in bindings if _is_for(user, binding, namespace)]
    if not mine:
        raise InvalidRoles(f"none of its bindings is for {user}")
    grants: list[_Grant] = []
    for binding in mine:
        reference = binding.get("roleRef")
        reference = reference if isinstance(reference, Mapping) else {}
        kind, name = str(reference.get("kind")), str(reference.get("name"))
        where = _namespace(binding, namespace)
        role = roles.get((kind, where if kind == "Role" else "", name))
        if role is None:
            raise InvalidRoles(f"{binding['kind']} {_name(binding)} refers to {kind} {name}, which is not in it")
        grants += _rules_of(role, kind, name, where)
    return grants


def _flat(objects: Iterable[Any]) -> Iterable[JSONObject]:
    for obj in objects:
        if not isinstance(obj, dict):
            raise InvalidRoles("it holds something that is no object")
        if isinstance(obj.get("items"), list):
            yield from (item for item in obj["items"] if isinstance(item, dict))
        else:
            yield obj


def _rules_of(role: JSONObject, kind: str, name: str, namespace: str) -> list[_Grant]:
    told = f"{kind} {namespace}/{name}" if kind == "Role" else f"{kind} {name}"
    if role.get("aggregationRule"):
        raise InvalidRoles(f"{told} is aggregated: check the roles that it is made of")
    rules = role.get("rules") or []
    grants = []
    for index, rule in enumerate(rules if isinstance(rules, list) else [None]):
        if not isinstance(rule, dict) or not all(_is_texts(rule.get(name)) for name in _FIELDS):
            raise InvalidRoles(f"{told}: rules[{index}] is no rule")
        grants.append(_Grant(told, namespace, rule, CompiledRule(rule)))
    return grants


def _is_texts(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _name(obj: JSONObject) -> str:
    metadata = obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        raise InvalidRoles(f"a {obj.get('kind')} has no name")
    return name


def _namespace(obj: JSONObject, default: str) -> str:
    if str(obj.get("kind")).startswith("Cluster"):
        return ""
    metadata = obj.get("metadata")
    return str((metadata.get("namespace") if isinstance(metadata, dict) else "") or default)


def _is_for(user: str, binding: JSONObject, default: str) -> bool:
    account = split_username(user)
    groups = {"system:authenticated", *(groups_of(account[0]) if account else ())}
    for subject in binding.get("subjects") or ():
        if not isinstance(subject, dict):
            raise InvalidRoles(f"{binding['kind']} {_name(binding)} has a subject that is none")
        kind, name = subject.get("kind"), subject.get("name")
        if (kind == "User" and name == user) or (kind == "Group" and name in groups):
            return True
        if kind == "ServiceAccount" and account == (subject.get("namespace") or default, name):
            return True
    return False


# --- what of them was used ---


def _use(grant: _Grant, demand: Demand, question: Attributes) -> None:
    """The pieces of the rule that let him: literally, or with a `*`."""
    rule = grant.rule
    grant.demands.append(demand)
    verbs = _either(rule, "verbs", demand.verb, ALL)
    if demand.path:
        urls = [url for url in rule.get("nonResourceURLs") or () if _covers(url, demand.path)]
        grant.used.update(product(verbs, urls))
        return
    forms = [resource_of(demand), ALL, *([f"*/{demand.subresource}"] if demand.subresource else [])]
    names = _either(rule, "resourceNames", question.name) or ("",)
    groups = _either(rule, "apiGroups", demand.group, ALL)
    grant.used.update(product(verbs, groups, _either(rule, "resources", *forms), names))


def _covers(url: str, path: str) -> bool:
    return url == path or (url.endswith(ALL) and path.startswith(url.rstrip(ALL)))


def _either(rule: Mapping[str, Any], name: str, *values: str) -> list[str]:
    return [value for value in values if value in (rule.get(name) or ())]


def _leftovers(grants: Sequence[_Grant]) -> tuple[list[Finding], list[Finding]]:
    unused: list[Finding] = []
    wide: list[Finding] = []
    pieces = 0
    for grant in grants:
        rule = grant.rule
        sizes = [len(rule.get(name) or ()) or 1 for name in _FIELDS]
        pieces += sizes[0] * (sizes[1] * sizes[2] * sizes[3] + sizes[4])
        if pieces > _MOST_PIECES:
            raise InvalidRoles(f"{grant.role} has more rules than can be compared with what was asked for")
        left, broad = RuleBook(), RuleBook()
        for verb, url in product(rule.get("verbs") or (), rule.get("nonResourceURLs") or ()):
            if (verb, url) not in grant.used:
                left.add_path(verb, url)
            elif ALL in (verb, url[-1:]):
                broad.add_path(verb, url)
        names = rule.get("resourceNames") or ("",)
        parts = (rule.get("verbs") or (), rule.get("apiGroups") or (), rule.get("resources") or (), names)
        for verb, group, resource, name in product(*parts):
            if (verb, group, resource, name) not in grant.used:
                left.add(verb, group, resource, (name,) if name else ())
            elif ALL in (verb, group, resource) or resource.startswith("*/"):
                broad.add(verb, group, resource, (name,) if name else ())
        unused += [Finding(rest, grant.namespace, grant.role) for rest in left.rules()]
        asked = RuleBook()
        for demand in grant.demands:
            asked.add_demand(demand)
        wide += [Finding(rest, grant.namespace, grant.role, asked.rules()) for rest in broad.rules()]
    return unused, wide
