"""Roles and ClusterRoles: what may be done, without a word on by whom."""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import Each, Fields, Required
from localplane.catalog.validation.selectors import selector_errors

_VERBS = Fields(verbs=Required(declared=True))


def _rule_selector_errors(selector: JSONObject, path: Path) -> Iterator[FieldError]:
    """What can't be made a selector is told once more, whatever is wrong with it: Kubernetes tries both."""
    errors = list(selector_errors(selector, path))
    yield from errors
    if errors:
        yield invalid(path, None, "invalid label selector.")


_SELECTORS = Required(
    Each(_rule_selector_errors), detail="at least one clusterRoleSelector required if aggregationRule is non-nil"
)


def _no_urls_in_namespaces(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    if urls := rule.get("nonResourceURLs"):
        yield invalid(path / "nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs")


def _resources_or_urls(rule: JSONObject, path: Path) -> Iterator[FieldError]:
    """A rule is about resources or about paths, never about both."""
    if urls := rule.get("nonResourceURLs"):
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            yield invalid(path / "nonResourceURLs", urls, detail)
        return
    if not rule.get("apiGroups"):
        yield required(path / "apiGroups", "resource rules must supply at least one api group")
    if not rule.get("resources"):
        yield required(path / "resources", "resource rules must supply at least one resource")


class RoleStrategy(BuiltinStrategy):
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False
    valid_name = staticmethod(path_segment_name)
    rules = Fields(rules=Each(_VERBS, _no_urls_in_namespaces, _resources_or_urls))
    on_update = (Asked.OBJECT, Asked.METADATA)


class ClusterRoleStrategy(RoleStrategy):
    rules = Fields(
        rules=Each(_VERBS, _resources_or_urls),
        aggregationRule=Fields(clusterRoleSelectors=_SELECTORS),
    )


ROLES = builtin("rbac.authorization.k8s.io/roles", strategy=RoleStrategy())
CLUSTER_ROLES = builtin("rbac.authorization.k8s.io/clusterroles", strategy=ClusterRoleStrategy())
