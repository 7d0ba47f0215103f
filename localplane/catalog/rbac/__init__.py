"""Roles, and who has them. What they allow is decided elsewhere. Kubernetes: pkg/apis/rbac, pkg/registry/rbac."""

from __future__ import annotations

from .bindings import CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS
from .roles import CLUSTER_ROLES, ROLES

RESOURCES = (CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES)
