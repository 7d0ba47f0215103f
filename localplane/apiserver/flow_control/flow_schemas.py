"""Which FlowSchema a request belongs to, and so which priority level.

What was found out for a kind of request is remembered until a schema or a level changes: the same few users do the same
few things. Kubernetes: apiserver/pkg/util/flowcontrol, rule.go for the match, and server/filters for the headers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from localplane.apimachinery.memoization import LONGEST_KEY
from localplane.apiserver.request import RequestInfo, User

JSONObject = Mapping[str, Any]
Headers = Mapping[str, str]

_ALL: Final = "*"
_MOST: Final = 4096
_DEFAULT_SHARES: Final = 30
_ACCOUNT: Final = "system:serviceaccount:"
_NONE: Final[Headers] = {}


@dataclass(frozen=True, slots=True)
class _Schema:
    rules: Sequence[JSONObject]
    headers: Headers


class FlowSchemas:
    """Those that are in force, in their order; none until somebody tells."""

    def __init__(self) -> None:
        self._schemas: tuple[_Schema, ...] = ()
        self._shares: dict[str, int] = {}
        self._namespaces: frozenset[str] = frozenset()
        self._known: dict[tuple[Any, ...], Headers] = {}

    def replace(self, schemas: Iterable[JSONObject], levels: Iterable[JSONObject]) -> None:
        """A schema whose level is not there is not in force."""
        known = {level["metadata"]["name"]: level for level in levels}
        uids = {name: level["metadata"]["uid"] for name, level in known.items()}
        self._shares = {name: _shares(level) for name, level in known.items()}
        ordered = sorted(schemas, key=_precedence)
        self._schemas = tuple(
            _Schema(
                (schema.get("spec") or {}).get("rules") or (),
                {
                    "X-Kubernetes-PF-FlowSchema-UID": schema["metadata"]["uid"],
                    "X-Kubernetes-PF-PriorityLevel-UID": uids[level],
                },
            )
            for schema in ordered
            if (level := level_of(schema)) in uids
        )
        self._namespaces = frozenset(
            namespace
            for schema in self._schemas
            for rule in schema.rules
            for resources in rule.get("resourceRules") or ()
            for namespace in resources.get("namespaces") or ()
        )
        self._known = {}

    def headers_for(self, user: User | None, info: RequestInfo) -> Headers:
        """What an answer says of the schema and the level; nothing if there is none."""
        if user is None or not self._schemas:
            return _NONE
        if info.is_resource:
            namespace = info.namespace
            if namespace and namespace not in self._namespaces:
                namespace = _ALL  # no rule can tell it from others
            key: tuple[Any, ...] = (
                user.name,
                user.groups,
                info.verb,
                info.group,
                info.resource,
                info.subresource,
                namespace,
            )
        else:
            key = (user.name, user.groups, info.verb, info.path)
        headers = self._known.get(key)
        if headers is None:
            headers = self._found(user, info)
            self._remember(key, headers)
        return headers

    def seats(self, limit: int) -> dict[str, int]:
        """How many of so many requests at once each level has, by its share. Nobody is held to it."""
        total = sum(self._shares.values()) or 1
        return {name: ceil(limit * share / total) for name, share in self._shares.items()}

    def _found(self, user: User, info: RequestInfo) -> Headers:
        for schema in self._schemas:
            if any(_matches(rule, user, info) for rule in schema.rules):
                return schema.headers
        return _NONE

    def _remember(self, key: tuple[Any, ...], headers: Headers) -> None:
        if any(isinstance(part, str) and len(part) > LONGEST_KEY for part in key):
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[key] = headers


def _precedence(schema: JSONObject) -> tuple[int, str]:
    return (schema.get("spec") or {}).get("matchingPrecedence", 0), schema["metadata"]["name"]


def _shares(level: JSONObject) -> int:
    spec = level.get("spec") or {}
    shares = (spec.get("limited") or spec.get("exempt") or {}).get("nominalConcurrencyShares")
    return int(shares) if shares is not None else _DEFAULT_SHARES if "limited" in spec else 0


def level_of(schema: JSONObject) -> str:
    """The name of the priority level that a schema refers to."""
    return str(((schema.get("spec") or {}).get("priorityLevelConfiguration") or {}).get("name", ""))


def _matches(rule: JSONObject, user: User, info: RequestInfo) -> bool:
    if not any(_is_subject(subject, user) for subject in rule.get("subjects") or ()):
        return False
    if info.is_resource:
        return any(_covers_resource(each, info) for each in rule.get("resourceRules") or ())
    return any(_covers_path(each, info) for each in rule.get("nonResourceRules") or ())


def _is_subject(subject: JSONObject, user: User) -> bool:
    match subject.get("kind"):
        case "User":
            return (subject.get("user") or {}).get("name") in (_ALL, user.name)
        case "Group":
            name = (subject.get("group") or {}).get("name")
            return name == _ALL or name in user.groups
        case "ServiceAccount":
            account = subject.get("serviceAccount") or {}
            namespace = f"{_ACCOUNT}{account.get('namespace', '')}:"
            if account.get("name") == _ALL:
                return user.name.startswith(namespace)
            return user.name == f"{namespace}{account.get('name', '')}"
    return False


def _covers_resource(rule: JSONObject, info: RequestInfo) -> bool:
    resource = f"{info.resource}/{info.subresource}" if info.subresource else info.resource
    for field, value in (("verbs", info.verb), ("resources", resource), ("apiGroups", info.group)):
        if not _contains(rule, field, value):
            return False
    if not info.namespace:
        return bool(rule.get("clusterScope"))
    return _contains(rule, "namespaces", info.namespace)


def _covers_path(rule: JSONObject, info: RequestInfo) -> bool:
    """`/healthz` covers what is below it too, with a star at its end or without."""
    if not _contains(rule, "verbs", info.verb):
        return False
    for path in rule.get("nonResourceURLs") or ():
        if path in (_ALL, info.path) or info.path.startswith(f"{path.removesuffix(_ALL).removesuffix('/')}/"):
            return True
    return False


def _contains(rule: JSONObject, field: str, value: str) -> bool:
    values = rule.get(field) or ()
    return _ALL in values or value in values
