"""One rule of a role, compiled. Kubernetes: pkg/apis/rbac/v1/evaluation_helpers.go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apiserver.authorization import Attributes

ALL: Final = "*"


class CompiledRule:
    """`source` is the rule as it was written."""

    __slots__ = ("_groups", "_names", "_paths", "_prefixes", "_resources", "_verbs", "source")

    def __init__(self, rule: Mapping[str, Any]) -> None:
        """None stands for all of them."""
        self.source = rule
        self._verbs = _choice(rule, "verbs")
        self._groups = _choice(rule, "apiGroups")
        self._resources = _choice(rule, "resources")
        self._names = frozenset(rule.get("resourceNames") or ())
        urls = rule.get("nonResourceURLs") or ()
        self._paths = frozenset(urls)
        self._prefixes = tuple(url.rstrip(ALL) for url in urls if url.endswith(ALL))

    def allows(self, asked: Attributes) -> bool:
        if self._verbs is not None and asked.verb not in self._verbs:
            return False
        if not asked.is_resource:
            return asked.path in self._paths or asked.path.startswith(self._prefixes)
        if self._groups is not None and asked.group not in self._groups:
            return False
        if self._names and asked.name not in self._names:
            return False
        if self._resources is None:
            return True
        if not asked.subresource:
            return asked.resource in self._resources
        combined = f"{asked.resource}/{asked.subresource}"
        return combined in self._resources or f"*/{asked.subresource}" in self._resources


def _choice(rule: Mapping[str, Any], field: str) -> frozenset[str] | None:
    names = frozenset(rule.get(field) or ())
    return None if ALL in names else names
