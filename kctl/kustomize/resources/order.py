"""In which order objects are printed: namespaces first and webhooks last, unless a kustomization says otherwise.

Kubernetes: api/internal/builtins, SortOrderTransformer; kyaml/resid, Gvk.IsLessThan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cmp_to_key, partial
from typing import Any, Final

from kctl.kustomize.errors import KustomizeError

from . import resmap
from .ids import Gvk, ResId

_FIRST: Final = (
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
)
_LAST: Final = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def _ranks(first: Sequence[str], last: Sequence[str]) -> dict[str, int]:
    return {
        **{kind: index - len(first) for index, kind in enumerate(first)},
        **{kind: index + 1 for index, kind in enumerate(last)},
    }


_DEFAULT: Final = _ranks(_FIRST, _LAST)


def type_order(kind: str) -> int:
    return _DEFAULT.get(kind, 0)


def sort(resources: resmap.ResMap, options: Mapping[str, Any] | None) -> None:
    """As `sortOptions` says; None is the order that kustomize had before there were options. Raises KustomizeError."""
    order = "legacy" if options is None else str(options.get("order") or "")
    legacy = (options or {}).get("legacySortOptions")
    if order not in ("fifo", "legacy"):
        raise KustomizeError("the field 'sortOptions.order' must be one of [fifo, legacy]")
    if order == "fifo":
        if legacy is not None:
            raise KustomizeError(
                "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'"
            )
        return
    ranks = _DEFAULT
    if legacy is not None:
        ranks = _ranks(legacy.get("orderFirst") or (), legacy.get("orderLast") or ())
    pairs = [(resource.current_id, resource) for resource in resources]
    by_id = cmp_to_key(partial(_compare, ranks=ranks))
    pairs.sort(key=lambda pair: by_id(pair[0]))
    try:
        resources.replace_all(resource for _, resource in pairs)
    except KustomizeError as error:
        raise error.within("SortOrderTransformer: Failed to append to resources") from error


def _compare(one: ResId, other: ResId, ranks: Mapping[str, int]) -> int:
    if one.gvk == other.gvk:
        left, right = _id_text(one), _id_text(other)
        return (left > right) - (left < right)
    first, second = ranks.get(one.gvk.kind, 0), ranks.get(other.gvk.kind, 0)
    if first != second:
        return first - second
    left, right = _gvk_text(one.gvk), _gvk_text(other.gvk)
    if one.gvk.kind == other.gvk.kind == "Namespace" and "" in (one.gvk.group, other.gvk.group):
        left, right = right, left
    return (left > right) - (left < right)


def _gvk_text(gvk: Gvk) -> str:
    return "_".join((gvk.group or "~G", gvk.version or "~V", gvk.kind or "~K"))


def _id_text(one: ResId) -> str:
    return f"{one.gvk}|{one.namespace or '~X'}|{one.name or '~N'}"
