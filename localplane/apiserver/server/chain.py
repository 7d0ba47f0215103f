"""What every request passes on its way in, read downwards: all of it, from the edge to the routers.

A filter sees the answer too, on its way out: `recover` sees it last of those that can raise, so nothing that happens
further in escapes it; the two before it only refuse.
Kubernetes: server/config.go, DefaultBuildHandlerChain (there it reads upwards).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from localplane.apimachinery.clock.virtual import VirtualClock
from localplane.apiserver.audit import Auditor
from localplane.apiserver.authentication import Authenticator
from localplane.apiserver.authorization import Authorizer, Demands
from localplane.apiserver.endpoints.filters.audit import audit
from localplane.apiserver.endpoints.filters.authentication import authentication
from localplane.apiserver.endpoints.filters.authorization import authorization
from localplane.apiserver.endpoints.filters.deadline import DEFAULT_MAXIMUM, deadline
from localplane.apiserver.endpoints.filters.faults import RevisionBefore, faults
from localplane.apiserver.endpoints.filters.flow_control import flow_control
from localplane.apiserver.endpoints.filters.impersonation import impersonation
from localplane.apiserver.endpoints.filters.plane_time import plane_time
from localplane.apiserver.endpoints.filters.recover import recover
from localplane.apiserver.endpoints.filters.request_info import request_info
from localplane.apiserver.endpoints.filters.shutdown import Shutdown, shutdown
from localplane.apiserver.endpoints.filters.transport import transport
from localplane.apiserver.endpoints.filters.unfinished_writes import UnfinishedWrites
from localplane.apiserver.faults import Faults
from localplane.apiserver.flow_control import FlowSchemas, InFlight
from localplane.apiserver.request import Filter, Handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Guards:
    """What the filters ask: does the server stop, who is it, may they, is there room, who takes notes, what goes wrong
    on purpose. `demands` hears what everybody asks for; `revision_before` is how far the store had come some time ago,
    and `clock` the plane's own, if it has one."""

    authenticator: Authenticator
    authorizer: Authorizer
    in_flight: InFlight
    flow_schemas: FlowSchemas = field(default_factory=FlowSchemas)
    demands: Demands | None = None
    auditor: Auditor | None = None
    request_timeout: timedelta = DEFAULT_MAXIMUM
    unfinished_writes: UnfinishedWrites = field(default_factory=UnfinishedWrites)
    shutdown: Shutdown = field(default_factory=Shutdown)
    faults: Faults = field(default_factory=Faults)
    revision_before: RevisionBefore = lambda _: 0
    clock: VirtualClock | None = None


REQUEST_PATH: tuple[Callable[[Guards], Filter], ...] = (
    lambda guards: plane_time(guards.clock),
    lambda _: transport(),
    lambda guards: shutdown(guards.shutdown),
    lambda _: recover(),
    lambda _: request_info(),
    lambda guards: deadline(
        unfinished_writes=guards.unfinished_writes, maximum=guards.request_timeout, auditor=guards.auditor
    ),
    lambda guards: authentication(guards.authenticator, auditor=guards.auditor),
    lambda guards: audit(guards.auditor),
    lambda guards: impersonation(guards.authorizer, guards.demands),
    lambda guards: flow_control(guards.in_flight, guards.flow_schemas),
    lambda guards: authorization(guards.authorizer, guards.demands),
    lambda guards: faults(guards.faults, guards.revision_before),
)


def filters(guards: Guards) -> tuple[Filter, ...]:
    return tuple(step(guards) for step in REQUEST_PATH)


def wrapped(filters: Sequence[Filter], handler: Handler) -> Handler:
    """The first filter is the first to see a request, so it is put around all others, last."""
    for each in reversed(filters):
        handler = each(handler)
    return handler
