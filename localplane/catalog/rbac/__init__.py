"""Roles and who has them."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (
    builtin("rbac.authorization.k8s.io/clusterrolebindings"),
    builtin("rbac.authorization.k8s.io/clusterroles"),
    builtin("rbac.authorization.k8s.io/rolebindings"),
    builtin("rbac.authorization.k8s.io/roles"),
)
