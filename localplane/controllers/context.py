"""What a controller is given when it starts, and how one is declared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.client import Client, SharedInformerFactory

SignToken = Callable[[Mapping[str, Any]], str]
"""A signed JWT of these claims, which are complete."""

_NAMESPACE: Final = "kube-system"
_GROUPS: Final = ("system:serviceaccounts", f"system:serviceaccounts:{_NAMESPACE}", "system:authenticated")
_AGENT: Final = "kube-controller-manager"


@dataclass(frozen=True, slots=True)
class ControllerContext:
    """`root_ca` is the server's authority in PEM. Without `sign_token` nobody fills in token secrets."""

    client: Client
    informers: SharedInformerFactory
    root_ca: str = ""
    sign_token: SignToken | None = None

    def client_of(self, service_account: str) -> Client:
        """The client that acts as one of Kubernetes' controllers, so that rules, logs and field managers know it."""
        user = f"system:serviceaccount:{_NAMESPACE}:{service_account}"
        return self.client.acting_as(user, groups=_GROUPS, agent=f"{_AGENT}/{service_account}")

    def client_of_manager(self) -> Client:
        """The client of the program that runs all of them, for what belongs to none."""
        groups = ("system:authenticated",)
        return self.client.acting_as(f"system:{_AGENT}", groups=groups, agent=f"{_AGENT}/controllers")


@dataclass(frozen=True, slots=True)
class ControllerSpec:
    """`start` runs until it is cancelled. `name` and `aliases` are those of cmd/kube-controller-manager."""

    name: str
    aliases: tuple[str, ...]
    start: Callable[[ControllerContext], Awaitable[None]]
