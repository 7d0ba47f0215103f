"""Roles and ClusterRoles: what may be done, without a word on by whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, collected, declared, invalid, required
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.metadata import metadata_errors, metadata_update_errors
from localplane.catalog.validation.selectors import selector_errors

_RULES = Path("rules")
_SELECTORS = Path("aggregationRule.clusterRoleSelectors")


class RoleStrategy(Strategy):
    validates_schema = False
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False

    def __init__(self, *, namespaced: bool) -> None:
        self._namespaced = namespaced

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        errors = metadata_errors(obj, namespaced=self._namespaced, name=path_segment_name)
        for index, rule in enumerate(obj.get("rules") or ()):
            errors += rule_errors(rule, _RULES[index], namespaced=self._namespaced)
        return collected(errors, _aggregation_errors(obj.get("aggregationRule")))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(self.validate(request, obj), metadata_update_errors(obj, old))


def rule_errors(rule: JSONObject, path: Path, *, namespaced: bool) -> Iterator[FieldError]:
    """A rule is about resources or about paths, never about both."""
    if not rule.get("verbs"):
        yield declared(required(path / "verbs"))
    urls = rule.get("nonResourceURLs")
    if urls:
        if namespaced:
            said = "namespaced rules cannot apply to non-resource URLs"
            yield invalid(path / "nonResourceURLs", urls, said)
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            said = "rules cannot apply to both regular resources and non-resource URLs"
            yield invalid(path / "nonResourceURLs", urls, said)
        return
    if not rule.get("apiGroups"):
        yield required(path / "apiGroups", "resource rules must supply at least one api group")
    if not rule.get("resources"):
        yield required(path / "resources", "resource rules must supply at least one resource")


def _aggregation_errors(rule: JSONObject | None) -> Iterator[FieldError]:
    if rule is None:
        return
    selectors = rule.get("clusterRoleSelectors") or ()
    if not selectors:
        yield required(_SELECTORS, "at least one clusterRoleSelector required if aggregationRule is non-nil")
    for index, selector in enumerate(selectors):
        yield from selector_errors(selector, _SELECTORS[index])


ROLES = builtin("rbac.authorization.k8s.io/roles", strategy=RoleStrategy(namespaced=True))
CLUSTER_ROLES = builtin("rbac.authorization.k8s.io/clusterroles", strategy=RoleStrategy(namespaced=False))
