"""Which bindings of one place are about whom: an index of their subjects.

Kubernetes: appliesTo and the describers in pkg/registry/rbac/validation/rule.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.golang.text import go_quote
from localplane.apiserver.authentication.service_accounts import username
from localplane.apiserver.request import User

JSONObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Grant:
    """That one subject of a binding has its role. `order` is the binding's among all, then the subject's in it."""

    order: tuple[int, int]
    role_kind: str
    role_name: str
    description: str


class BindingIndex:
    def __init__(self, bindings: Iterable[JSONObject], namespace: str) -> None:
        self._users: dict[str, list[Grant]] = {}
        self._groups: dict[str, list[Grant]] = {}
        for number, binding in enumerate(bindings):
            for position, subject in enumerate(binding.get("subjects") or ()):
                grant = _grant((number, position), binding, subject, namespace)
                self._add(subject, grant, namespace)

    def _add(self, subject: JSONObject, grant: Grant, namespace: str) -> None:
        name = subject.get("name", "")
        match subject.get("kind"):
            case "User":
                self._users.setdefault(name, []).append(grant)
            case "Group":
                self._groups.setdefault(name, []).append(grant)
            case "ServiceAccount":
                place = subject.get("namespace") or namespace
                if place:
                    self._users.setdefault(username(place, name), []).append(grant)

    def of(self, user: User) -> list[Grant]:
        """In the order of the bindings; of a binding that names somebody twice, the first time."""
        found = self._users.get(user.name, [])
        for group in user.groups:
            if group in self._groups:
                found = found + self._groups[group]
        if len(found) < 2:
            return found
        first: dict[int, Grant] = {}
        for grant in sorted(found, key=lambda grant: grant.order):
            first.setdefault(grant.order[0], grant)
        return list(first.values())


def _grant(order: tuple[int, int], binding: JSONObject, subject: JSONObject, namespace: str) -> Grant:
    role, name = binding.get("roleRef") or {}, binding["metadata"]["name"]
    kind, of = role.get("kind", ""), role.get("name", "")
    which = f"RoleBinding {go_quote(f'{name}/{namespace}')}" if namespace else f"ClusterRoleBinding {go_quote(name)}"
    return Grant(order, kind, of, f"{which} of {kind} {go_quote(of)} to {_described(subject, namespace)}")


def _described(subject: JSONObject, namespace: str) -> str:
    kind, name = subject.get("kind", ""), subject.get("name", "")
    if kind == "ServiceAccount":
        name = f"{name}/{subject.get('namespace') or namespace}"
    return f"{kind} {go_quote(name)}"
