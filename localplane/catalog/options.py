"""What the built-in kinds want to know of the server that they are served by."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from localplane.apiserver.authentication import TokenHolder, Unauthenticated
from localplane.apiserver.authorization import AlwaysAllow, Authorizer, RuleResolver, UnionRules
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.storage.interface import Storage

from .kubelets import KubeletConnections
from .tokens import TokenSigner

AuthenticateToken = Callable[[str, tuple[str, ...]], Awaitable[TokenHolder]]
"""Whose a token is, and for which of these audiences or, without any, of this server's own. Raises Unauthenticated if
nobody knows it, or it is bad."""


async def _nobody(token: str, audiences: tuple[str, ...]) -> TokenHolder:  # noqa: ARG001 - it is nobody's
    raise Unauthenticated("invalid bearer token")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogOptions:
    """`objects` finds the objects of other kinds, once all are served. Without a `token_signer` no service account gets
    a token. `demanding` is the same authorizer for those who ask what a request itself needs. `kubelets` are those that
    answer for nodes. `shared_ranges` is the storage of what several servers allocate together, if there may be others
    on the same store."""

    service_cluster_ip_range: str = "10.0.0.0/24"
    service_node_port_range: range = range(30000, 32768)
    objects: Lookup = field(default_factory=lambda: Lookup(list))
    token_signer: TokenSigner | None = None
    authenticate_token: AuthenticateToken = _nobody
    authorizer: Authorizer = field(default_factory=AlwaysAllow)
    demanding: Authorizer | None = None
    rule_resolver: RuleResolver = field(default_factory=UnionRules)
    kubelets: KubeletConnections | None = None
    shared_ranges: Storage | None = None

    @property
    def storage_of(self) -> Callable[[str], Definition]:
        """Another kind's definition by its name (`policy/poddisruptionbudgets`)."""
        return self.objects.definition
