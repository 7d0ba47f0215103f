"""What stores and answers, before there is a server: the installed resources on their storage, and clients without a
socket. None of it needs a listener, so whatever belongs to a server is built on it, by constructor."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Generic, TypeVar

from localplane.apiserver.admission import AdmissionChain, Closing, Plugin
from localplane.apiserver.authorization import Authorizer, DemandingAuthorizer, Demands
from localplane.apiserver.endpoints.filters import faults
from localplane.apiserver.endpoints.filters.plane_time import plane_time
from localplane.apiserver.endpoints.installer import Installer
from localplane.apiserver.faults import Faults
from localplane.apiserver.long_work import LongWork
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.judge import Judge
from localplane.apiserver.registry.lookup import Lookup
from localplane.apiserver.request_log import RequestLog
from localplane.apiserver.server.chain import wrapped
from localplane.apiserver.server.dispatch import Router, dispatch
from localplane.client import Client, SharedInformerFactory

from .home import Home
from .in_process import InProcessTransport

_JUDGED_FIRST: Final = timedelta(milliseconds=250)
_FEED_SECONDS: Final = 2.0

A = TypeVar("A", bound=Authorizer)


@dataclass(frozen=True, slots=True)
class Provided:
    """What admission plugins are initialised with. `demanding` is the authorizer for those who ask what the request
    itself needs."""

    client: Client
    informers: SharedInformerFactory
    objects: Lookup
    authorizer: Authorizer
    demanding: Authorizer
    faults: Faults


class Kernel(Generic[A]):
    """`authorizer` is made from the stored objects, because a cluster's roles are among them.

    `objects` are what is stored, and `client` speaks to it all as the server itself. `observer` is the same client for
    those who must go on whatever is stored: its lists and watches, and so the informers, pass over what can't be read.
    `request_log` has what was asked lately, by these clients and by those of the server that is built on it, and
    `demands` what the latter have asked for at all.
    `routers` are asked in turn who answers a path, also by the clients; whoever serves more than resources adds himself
    before the kernel runs. `faults` are those that somebody has asked for, and `clock` is what all of it goes by, if it
    is not the machine's.
    """

    def __init__(self, home: Home, authorizer: Callable[[Lookup], A], plugins: Sequence[Plugin] = ()) -> None:
        self.clock = home.clock
        self.storage = home.storage
        self.directory = home.directory
        self.objects = Lookup(self._definitions)
        self.authorizer = authorizer(self.objects)
        self.admission = AdmissionChain(plugins)
        self.demands = Demands()
        self.demanding = DemandingAuthorizer(self.authorizer, self.demands)
        self.installer = Installer(self.storage.cacher.resource, self.admission, self.demanding)
        self.installer.on_change(self.objects.forget)
        self.routers: list[Router] = [self.installer.handle]
        self.faults = Faults()
        self.work = LongWork()
        struck = faults(self.faults, self.storage.cacher.revision_before, inside=True)
        handler = wrapped((plane_time(self.clock), struck), dispatch(self.routers, complete=lambda: True))
        self.request_log = RequestLog()
        ring = self.request_log.internal
        self.client = Client(InProcessTransport(handler, self.work, ring))
        self.observer = Client(InProcessTransport(handler, self.work, ring, only_readable=True))
        self.informers = SharedInformerFactory(self.observer)
        self.admission.initialize(
            Provided(self.client, self.informers, self.objects, self.authorizer, self.demanding, self.faults)
        )
        self._behind_at, self._behind_since = 0, 0.0
        if self.clock is not None:
            self.clock.mind(self)

    def work_in_hand(self) -> str:
        """What the cache has not heard of yet; but a store may have revisions that concern nobody here."""
        cacher = self.storage.cacher
        if cacher.has_caught_up:
            return ""
        if cacher.revision != self._behind_at:
            self._behind_at, self._behind_since = cacher.revision, time.monotonic()
        is_coming = time.monotonic() - self._behind_since < _FEED_SECONDS
        return "changes on their way from the store" if is_coming else ""

    def _definitions(self) -> list[Definition]:
        return self.installer.definitions()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Once everything is installed: what is stored is judged before anybody in here reads it, and the informers
        follow it while the block lasts."""
        async with AsyncExitStack() as stack:
            stack.callback(self.work.close)
            for plugin in self.admission.plugins:
                if isinstance(plugin, Closing):
                    stack.push_async_callback(plugin.close)
            await self._judge_what_is_stored()
            await stack.enter_async_context(self.informers)
            yield

    async def _judge_what_is_stored(self) -> None:
        """On a large store some of it is judged while the server starts already: what the server itself depends on
        comes first."""
        judgement = self.storage.cacher.judgement
        judge = Judge(self.installer.storing_definitions, self.storage.cacher.root)
        judgement.begin(judge)
        loop = asyncio.get_running_loop()

        def served_otherwise() -> None:
            if judge.forget():  # the first of many: what is installed together is judged together
                loop.call_soon(lambda: judgement.again(*judge.changed()))

        self.installer.on_change(served_otherwise)
        with suppress(TimeoutError):
            async with asyncio.timeout(_JUDGED_FIRST.total_seconds()):
                await judgement.settle()
