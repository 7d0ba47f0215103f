"""Which writes a webhook or a policy is about: rules by operation and resource, selectors by labels.

Kubernetes: apiserver/pkg/admission/plugin/webhook/predicates (rules, namespace, object) and plugin/policy/matching.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.errors import InternalError
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.selectors.labels import InvalidSelector, Selector, selector_of
from localplane.apiserver.admission import Attributes
from localplane.client import GroupVersionResource

from .writes import Write, WriteMatch, labels_of

_NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
_NEVER_ASKED: Final = frozenset(
    {
        GroupResource("authentication.k8s.io", "selfsubjectreviews"),
        GroupResource("authentication.k8s.io", "tokenreviews"),
        GroupResource("authorization.k8s.io", "localsubjectaccessreviews"),
        GroupResource("authorization.k8s.io", "selfsubjectaccessreviews"),
        GroupResource("authorization.k8s.io", "selfsubjectrulesreviews"),
        GroupResource("authorization.k8s.io", "subjectaccessreviews"),
    }
)
_CONFIGURATIONS: Final = "admissionregistration.k8s.io"


def is_exempt(resource: GroupResource) -> bool:
    """What would lock everybody out if a webhook or policy refused it: their own configurations, and the questions
    who somebody is and what they may do. Kubernetes: pkg/kubeapiserver/admission/exclusion."""
    return resource.group == _CONFIGURATIONS or resource in _NEVER_ASKED


@dataclass(frozen=True, slots=True)
class Criteria:
    """`rules` and `excluded` are as they are configured. Without rules nothing is of interest, unless `or_all`."""

    rules: Sequence[Mapping[str, Any]]
    namespaces: Selector | InvalidSelector
    labels: Selector | InvalidSelector
    excluded: Sequence[Mapping[str, Any]] = field(default=())
    is_exact: bool = False
    or_all: bool = False

    @classmethod
    def of_webhook(cls, webhook: Mapping[str, Any]) -> Criteria:
        return cls(
            webhook.get("rules") or (),
            _selector(webhook.get("namespaceSelector")),
            _selector(webhook.get("objectSelector")),
            is_exact=webhook.get("matchPolicy") == "Exact",
        )

    @classmethod
    def of_policy(cls, match: Mapping[str, Any]) -> Criteria:
        return cls(
            match.get("resourceRules") or (),
            _selector(match.get("namespaceSelector")),
            _selector(match.get("objectSelector")),
            match.get("excludeResourceRules") or (),
            is_exact=match.get("matchPolicy") == "Exact",
            or_all=True,
        )

    async def match(self, write: Write) -> WriteMatch | None:
        """As what this write is of interest. Raises APIError if that can't be told."""
        if self.excluded and self._matched(self.excluded, write) is not None:
            return None
        found = write.as_itself if self.or_all and not self.rules else self._matched(self.rules, write)
        if found is None or not self._selects_object(write) or not await self._selects_namespace(write):
            return None
        return found

    def _matched(self, rules: Sequence[Mapping[str, Any]], write: Write) -> WriteMatch | None:
        for rule in rules:
            if _matches(rule, write.attributes, write.as_itself.resource):
                return write.as_itself
        if self.is_exact or not any(_could_match(rule, write.attributes) for rule in rules):
            return None
        for rule in rules:
            for other in write.equivalents():
                if _matches(rule, write.attributes, other.resource):
                    return other
        return None

    def _selects_object(self, write: Write) -> bool:
        if isinstance(self.labels, InvalidSelector):
            raise InternalError.of(str(self.labels))
        asked, matches = write.attributes, self.labels.matches
        if self.labels.is_everything:
            return True
        return any(matches(labels_of(each)) for each in (asked.object, asked.old_object) if each is not None)

    async def _selects_namespace(self, write: Write) -> bool:
        """What is in no namespace is never exempt."""
        if not write.attributes.namespace and not write.is_of_namespace:
            return True
        if isinstance(self.namespaces, InvalidSelector):
            raise InternalError.of(str(self.namespaces))
        return self.namespaces.is_everything or self.namespaces.matches(await write.namespace_labels())


def _selector(declared: Mapping[str, Any] | None) -> Selector | InvalidSelector:
    """One that can't be read is only told where it would have decided something."""
    try:
        return selector_of(declared or {}) or Selector()
    except InvalidSelector as error:
        return error


def _matches(rule: Mapping[str, Any], asked: Attributes, resource: GroupVersionResource) -> bool:
    names = rule.get("resourceNames")
    return (
        _could_match(rule, asked)
        and _names(rule, "apiGroups", resource.group)
        and _names(rule, "apiVersions", resource.version)
        and _is_in_scope(rule, asked, resource)
        and (not names or asked.name in names)
    )


def _could_match(rule: Mapping[str, Any], asked: Attributes) -> bool:
    """In some version: what is equivalent has the same plural everywhere."""
    plural = asked.resource.resource
    return _names(rule, "operations", asked.operation) and any(
        _covers(each, plural, asked.subresource) for each in rule.get("resources") or ()
    )


def _names(rule: Mapping[str, Any], field_name: str, wanted: str) -> bool:
    named = rule.get(field_name) or ()
    return "*" in named or wanted in named


def _is_in_scope(rule: Mapping[str, Any], asked: Attributes, resource: GroupVersionResource) -> bool:
    scope = rule.get("scope") or "*"
    is_namespaced = resource != _NAMESPACES and bool(asked.namespace)
    return scope in ("*", "Namespaced" if is_namespaced else "Cluster")


def _covers(text: str, plural: str, subresource: str) -> bool:
    resource, _, below = text.partition("/")
    return resource in ("*", plural) and below in ("*", subresource)
