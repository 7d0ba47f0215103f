"""Who is it? Reviews that are answered and never stored: TokenReview, SelfSubjectReview.

Kubernetes: pkg/registry/authentication.
"""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apiserver.resource import Resource
from localplane.catalog.options import CatalogOptions

from .reviews import SELF_SUBJECT_REVIEWS, token_reviews


def resources(options: CatalogOptions) -> Sequence[Resource]:
    return SELF_SUBJECT_REVIEWS, token_reviews(options)
