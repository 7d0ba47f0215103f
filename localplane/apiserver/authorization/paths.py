"""Reading certain paths, for everybody or for some groups.

What Kubernetes grants with its bootstrap roles system:public-info-viewer and system:discovery; it is here for servers
that have no roles. Kubernetes: apiserver/pkg/authorization/path, plugin/pkg/auth/authorizer/rbac/bootstrappolicy.
"""

from __future__ import annotations

from collections.abc import Sequence

from .interface import ALLOWED, NO_OPINION, Attributes, Decision

PUBLIC_PATHS = ("/livez", "/readyz", "/healthz", "/version", "/version/")
DISCOVERY_PATHS = (*PUBLIC_PATHS, "/openapi", "/openapi/*", "/api", "/api/*", "/apis", "/apis/*")


class PathAuthorizer:
    """A path ends in `*` to mean all that begin so. Without groups everybody may read, anonymous users included."""

    def __init__(self, paths: Sequence[str], *, groups: Sequence[str] = (), verbs: Sequence[str] = ("get",)) -> None:
        for path in paths:
            if "*" in path[:-1]:
                raise ValueError(f"only trailing * allowed in {path!r}")
        self._exact = frozenset(path for path in paths if not path.endswith("*"))
        self._prefixes = tuple(path[:-1] for path in paths if path.endswith("*"))
        self._groups = frozenset(groups)
        self._verbs = frozenset(verbs)

    async def authorize(self, attributes: Attributes) -> Decision:
        if attributes.is_resource or attributes.verb not in self._verbs:
            return NO_OPINION
        if self._groups and self._groups.isdisjoint(attributes.user.groups):
            return NO_OPINION
        if attributes.path in self._exact or attributes.path.startswith(self._prefixes):
            return ALLOWED
        return NO_OPINION
