"""Which requests are recorded, and how much of them. The first rule that matches decides; without one, nothing is.

Kubernetes: apiserver/pkg/apis/audit (Policy), apiserver/pkg/audit/policy (EvaluatePolicyRule).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from localplane.apiserver.request import RequestInfo, User


class Level(IntEnum):
    """How much is recorded: nothing, everything but bodies, the request's body too, the answer's too."""

    NONE = 0
    METADATA = 1
    REQUEST = 2
    REQUEST_RESPONSE = 3

    @property
    def label(self) -> str:
        return LEVEL_LABELS[self]


LEVEL_LABELS = {
    Level.NONE: "None",
    Level.METADATA: "Metadata",
    Level.REQUEST: "Request",
    Level.REQUEST_RESPONSE: "RequestResponse",
}


class Stage(StrEnum):
    REQUEST_RECEIVED = "RequestReceived"
    RESPONSE_STARTED = "ResponseStarted"
    RESPONSE_COMPLETE = "ResponseComplete"
    PANIC = "Panic"


@dataclass(frozen=True, slots=True)
class GroupResources:
    """`*` means all groups. A resource is `pods`, `pods/log`, `pods/*`, `*/scale` or `*`; none means all."""

    group: str = ""
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def matches(self, info: RequestInfo) -> bool:
        if self.group not in (info.group, "*"):
            return False
        if not self.resources:
            return True
        if self.names and info.name not in self.names:
            return False
        return any(_resource_matches(resource, info) for resource in self.resources)


def _resource_matches(spec: str, info: RequestInfo) -> bool:
    asked = f"{info.resource}/{info.subresource}" if info.subresource else info.resource
    if spec in (asked, "*", f"{info.resource}/*"):
        return True
    return bool(info.subresource) and spec == f"*/{info.subresource}"


@dataclass(frozen=True, slots=True)
class Rule:
    """All that is given must match; what is empty matches everything. Resources and paths exclude each other."""

    level: Level
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    resources: tuple[GroupResources, ...] = ()
    namespaces: tuple[str, ...] = ()
    non_resource_urls: tuple[str, ...] = ()
    omit_stages: frozenset[Stage] = frozenset()
    omit_managed_fields: bool | None = None

    def matches(self, user: User | None, info: RequestInfo) -> bool:
        if self.users and (user is None or user.name not in self.users):
            return False
        if self.groups and (user is None or not any(group in self.groups for group in user.groups)):
            return False
        if self.verbs and info.verb not in self.verbs:
            return False
        if self.namespaces or self.resources:
            return info.is_resource and self._matches_resource(info)
        if self.non_resource_urls:
            return not info.is_resource and any(_path_matches(info.path, spec) for spec in self.non_resource_urls)
        return True

    def _matches_resource(self, info: RequestInfo) -> bool:
        if self.namespaces and info.namespace not in self.namespaces:
            return False
        return not self.resources or any(resources.matches(info) for resources in self.resources)


def _path_matches(path: str, spec: str) -> bool:
    return spec in ("*", path) or (spec.endswith("*") and path.startswith(spec.rstrip("*")))


@dataclass(frozen=True, slots=True)
class Recording:
    """What the policy says about one request."""

    level: Level
    omit_stages: frozenset[Stage]
    omit_managed_fields: bool


@dataclass(frozen=True, slots=True)
class Policy:
    rules: tuple[Rule, ...]
    omit_stages: frozenset[Stage] = frozenset()
    omit_managed_fields: bool = False

    def evaluate(self, user: User | None, info: RequestInfo) -> Recording:
        for rule in self.rules:
            if rule.matches(user, info):
                omit_fields = rule.omit_managed_fields
                return Recording(
                    rule.level,
                    self.omit_stages | rule.omit_stages,
                    self.omit_managed_fields if omit_fields is None else omit_fields,
                )
        return Recording(Level.NONE, self.omit_stages, self.omit_managed_fields)


EVERYTHING_AT_METADATA = Policy((Rule(Level.METADATA),), omit_stages=frozenset((Stage.REQUEST_RECEIVED,)))
"""For a log without a policy file: all requests, once each, and nobody's secrets."""
