"""The roles and bindings that let somebody do what he has asked for, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authentication.service_accounts import split_username
from localplane.apiserver.authorization import Demand

from .rules import Rule, RuleBook, compiled, is_cluster_wide, needs_no_role, questions

GROUP: Final = "rbac.authorization.k8s.io"
_API_VERSION: Final = f"{GROUP}/v1"
_WRITES: Final = ("create", "update", "patch")
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Minimal:
    """`objects` are roles, each with its binding. `warnings` are what they can't say."""

    user: str
    objects: Sequence[JSONObject]
    warnings: Sequence[str] = ()


def minimal_rbac(
    user: str,
    demands: Sequence[Demand],
    *,
    resource_names: bool = False,
    everything: bool = False,
    name: str = "",
) -> Minimal:
    """What is asked for in a namespace is in a Role there, unless the ClusterRole lets him do it anyway. With
    `resource_names` rules name the objects, where they were named; with `everything` what needs no role is in it too.
    `name` is what roles and bindings are called; it is made from the user's otherwise."""
    wanted = [demand for demand in demands if everything or not needs_no_role(user, demand)]
    book = RuleBook()
    for demand in wanted:
        if is_cluster_wide(demand):
            book.add_demand(demand, with_names=resource_names)
    cluster_rules = book.rules()
    granted = compiled(cluster_rules)
    by_namespace: dict[str, RuleBook] = {}
    for demand in wanted:
        if is_cluster_wide(demand):
            continue
        if not all(any(rule.allows(question) for rule in granted) for question in questions(demand)):
            by_namespace.setdefault(demand.namespace, RuleBook()).add_demand(demand, with_names=resource_names)
    called = name or role_name(user)
    objects = _bound("ClusterRole", called, "", cluster_rules, user) if cluster_rules else []
    for namespace, of_namespace in sorted(by_namespace.items()):
        objects += _bound("Role", called, namespace, of_namespace.rules(), user)
    return Minimal(user, objects, [*_warnings(user, wanted)])


def role_name(user: str) -> str:
    """One that can be a role's, and tells whose it is."""
    account = split_username(user)
    text = "-".join(account) if account is not None else user
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()[:_LONGEST_NAME]).strip("-.") or "user"


def subject_of(user: str) -> JSONObject:
    account = split_username(user)
    if account is None:
        return {"apiGroup": GROUP, "kind": "User", "name": user}
    namespace, name = account
    return {"kind": "ServiceAccount", "name": name, "namespace": namespace}


def _bound(kind: str, name: str, namespace: str, rules: Sequence[Rule], user: str) -> list[JSONObject]:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    role: JSONObject = {"apiVersion": _API_VERSION, "kind": kind, "metadata": metadata, "rules": list(rules)}
    binding: JSONObject = {
        "apiVersion": _API_VERSION,
        "kind": f"{kind}Binding",
        "metadata": dict(metadata),
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": name},
        "subjects": [subject_of(user)],
    }
    return [role, binding]


def _warnings(user: str, demands: Sequence[Demand]) -> list[str]:
    written = {demand.resource for demand in demands if demand.group == GROUP and demand.verb in _WRITES}
    told = []
    if written & {"roles", "clusterroles"}:
        told.append(f"{user} writes roles: it also needs what they grant, or the verb escalate on them")
    if written & {"rolebindings", "clusterrolebindings"}:
        told.append(f"{user} writes bindings: it also needs what their roles grant, or the verb bind on these")
    return told
