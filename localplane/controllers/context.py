"""What a controller is given when it starts, and how one is declared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from localplane.client import Client, GroupVersionResource, SharedInformerFactory

from .events import EventLog, EventRecorder

SignToken = Callable[[Mapping[str, Any]], str]
"""A signed JWT of these claims, which are complete."""

_NAMESPACE: Final = "kube-system"
_GROUPS: Final = ("system:serviceaccounts", f"system:serviceaccounts:{_NAMESPACE}", "system:authenticated")
_AGENT: Final = "kube-controller-manager"


@dataclass(frozen=True, slots=True)
class Wake:
    """What a controller sleeps until: an object of this resource that is none of the `ignoring` (`namespace/name`),
    which every fresh cluster has."""

    resource: GroupVersionResource
    ignoring: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ControllerSpec:
    """`module` is below this package and has `start`, which runs until it is cancelled. It is imported when one of
    `wakes` has come, or at once if there are none. `name` and `aliases` are those of cmd/kube-controller-manager; `*`
    does not mean one that is not `by_default`."""

    name: str
    aliases: tuple[str, ...]
    module: str
    wakes: tuple[Wake, ...] = ()
    by_default: bool = True


@dataclass(frozen=True, slots=True)
class CertificateAuthority:
    """Where the authority lies, in PEM, whose certificates the server believes; it is read when there is something to
    sign."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class ControllerContext:
    """The lists and watches of `client` may pass over what can't be read, so that controllers go on whatever is stored;
    those of `strict` fail then. `creates_are_over` waits for those that were let into a namespace before it was seen to
    be going, and `awakened` until there is something that wakes a controller; both are there if the server is in this
    process. `root_ca` is the server's authority in PEM. Without `sign_token` nobody fills in token secrets, and without
    `authority` nobody signs certificates."""

    client: Client
    informers: SharedInformerFactory
    strict: Client | None = None
    creates_are_over: Callable[[str], Awaitable[None]] | None = None
    awakened: Callable[[Wake], Coroutine[Any, Any, None]] | None = None
    root_ca: str = ""
    sign_token: SignToken | None = None
    authority: CertificateAuthority | None = None
    events: EventLog = field(default_factory=EventLog)

    def client_of(self, service_account: str) -> Client:
        """The client that acts as one of Kubernetes' controllers, so that rules, logs and field managers know it."""
        return _acting_as(self.client, service_account)

    def strict_client_of(self, service_account: str) -> Client:
        """The same for whoever must know that something is there even if it can't be read."""
        return _acting_as(self.strict or self.client, service_account)

    def client_of_manager(self) -> Client:
        """The client of the program that runs all of them, for what belongs to none."""
        groups = ("system:authenticated",)
        return self.client.acting_as(f"system:{_AGENT}", groups=groups, agent=f"{_AGENT}/controllers")

    def recorder(self, service_account: str, component: str = "") -> EventRecorder:
        """Says what a controller sees; `component` is the name it does it by, if it is not its account's."""
        return self.events.recorder(self.client_of(service_account), component or service_account)


def _acting_as(client: Client, service_account: str) -> Client:
    user = f"system:serviceaccount:{_NAMESPACE}:{service_account}"
    return client.acting_as(user, groups=_GROUPS, agent=f"{_AGENT}/{service_account}")
