"""May they? Reviews that are answered and never stored. Kubernetes: pkg/registry/authorization."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apiserver.resource import Resource
from localplane.catalog.options import CatalogOptions

from .reviews import access_reviews, rules_reviews


def resources(options: CatalogOptions) -> Sequence[Resource]:
    return *access_reviews(options), rules_reviews(options)
