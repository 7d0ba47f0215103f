"""One of many acts: whoever holds a Lease, and renews it, leads.

The same Lease and the same rules as client-go's tools/leaderelection, so that its candidates and ours can stand for one
lease: who leads renews every `retry_period`, and stops when that has not succeeded for `renew_deadline`; the others
take the lease when they have seen no renewal for as long as it lasts. Each goes by its own clock alone, by when it saw
something, so clocks may differ. Unlike client-go's, a candidate watches the lease: it hears at once that the last
leader has let go, and takes over in the moment in which the lease ends.

A leader can be late to notice that it no longer leads, because its machine stood still. So nobody relies on being told:
`Leadership.holds` is asked before each write, and looks at the clock.
"""

from __future__ import annotations

import asyncio
import logging
import random
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import uuid4

from localplane.apimachinery.errors import AlreadyExists, APIError, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import micro_now

from .errors import ClientError
from .rest.client import Client
from .rest.names import GroupVersionResource
from .rest.options import ListOptions

_log = logging.getLogger(__name__)

_LEASES: Final = GroupVersionResource("coordination.k8s.io", "v1", "leases")
_JITTER: Final = 1.2
_GOODBYE: Final = timedelta(seconds=2)
_AFTER_THE_END: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionTiming:
    """client-go's LeaderElectionConfig, and its checks."""

    lease_duration: timedelta = timedelta(seconds=15)
    renew_deadline: timedelta = timedelta(seconds=10)
    retry_period: timedelta = timedelta(seconds=2)

    def problems(self) -> Iterator[str]:
        if min(self.lease_duration, self.renew_deadline, self.retry_period) <= timedelta(0):
            yield "leader election: its durations must be longer than nothing"
        elif self.lease_duration < timedelta(seconds=1):
            yield "leader election: a lease lasts for a second at least"
        elif self.lease_duration <= self.renew_deadline:
            yield "leader election: leaseDuration must be greater than renewDeadline"
        elif self.renew_deadline <= self.retry_period * _JITTER:
            yield "leader election: renewDeadline must be greater than retryPeriod*JitterFactor"


def candidate_name() -> str:
    """Who somebody is in an election: nobody else is called so, not even the same program when it is started again."""
    return f"{socket.gethostname()}_{uuid4()}"


def boot_seconds() -> float:
    """A clock that goes on while the machine sleeps, where there is one: the others did not."""
    clock: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class Leadership:
    """From when the lease was taken until it is lost. It counts from before the last renewal was sent."""

    def __init__(self, until: float, clock: Callable[[], float]) -> None:
        self._until = until
        self._clock = clock

    @property
    def remaining(self) -> float:
        """Seconds; none when it is over."""
        return max(0.0, self._until - self._clock())

    @property
    def holds(self) -> bool:
        """Whether whoever leads may still act."""
        return self._clock() < self._until

    def extend(self, until: float) -> None:
        self._until = until

    def end(self) -> None:
        self._until = 0.0


Lead = Callable[[Leadership], Awaitable[None]]
"""What the leader does until it is cancelled. Before each write it asks whether its leadership holds."""


class LeaderElector:
    """A candidate for the lease `name`. Nobody else may have the same `identity`."""

    def __init__(
        self,
        client: Client,
        name: str,
        *,
        identity: str,
        namespace: str = "kube-system",
        timing: ElectionTiming | None = None,
        clock: Callable[[], float] = boot_seconds,
    ) -> None:
        self._leases = client.resource(_LEASES, namespace)
        self.name = name
        self.identity = identity
        self._timing = timing or ElectionTiming()
        self._clock = clock
        self._lease: JSONObject = {}
        self._seen_at = 0.0

    async def run(self, lead: Lead) -> None:
        """Until it is cancelled: then the lease is given back, when `lead` has ended. Raises what `lead` raises."""
        while True:
            leadership = await self._acquire()
            _log.info("%s leads: it holds the lease %s", self.identity, self.name)
            await self._lead(leadership, lead)
            _log.warning("%s no longer holds the lease %s, and has stopped", self.identity, self.name)

    async def _acquire(self) -> Leadership:
        trouble = ""
        while True:
            try:
                began = self._clock()
                if await self._take():
                    return Leadership(began + self._timing.renew_deadline.total_seconds(), self._clock)
                await self._chance()
                trouble = ""
            except (APIError, ClientError) as error:
                if not trouble:
                    _log.warning("the lease %s can't be had: %s", self.name, error)
                trouble = str(error)
                period = self._timing.retry_period.total_seconds()
                await asyncio.sleep(period * random.uniform(1, _JITTER))  # noqa: S311 - so that not all ask at once

    async def _lead(self, leadership: Leadership, lead: Lead) -> None:
        leading = asyncio.ensure_future(lead(leadership))
        renewing = asyncio.ensure_future(self._renew(leadership))
        try:
            await asyncio.wait((leading, renewing), return_when=asyncio.FIRST_COMPLETED)
            if renewing.done():
                leadership.end()
        finally:
            for task in (leading, renewing):
                task.cancel()
            await asyncio.wait((leading, renewing))
            if leadership.holds:
                leadership.end()
                await self._release()
        for task in (leading, renewing):
            if not task.cancelled():
                task.result()

    async def _renew(self, leadership: Leadership) -> None:
        """Until it is lost."""
        while leadership.holds:
            await asyncio.sleep(min(self._timing.retry_period.total_seconds(), leadership.remaining))
            began = self._clock()
            try:
                async with asyncio.timeout(leadership.remaining):
                    if not await self._take():
                        return
            except TimeoutError:
                _log.warning("the lease %s was not renewed in time", self.name)
            except (APIError, ClientError) as error:
                _log.warning("the lease %s is not renewed: %s", self.name, error)
            else:
                leadership.extend(began + self._timing.renew_deadline.total_seconds())

    async def _take(self) -> bool:
        """Whether the lease is ours now: it was before, or it is free."""
        if self._holder == self.identity:
            try:
                await self._write(self._lease)
            except (Conflict, NotFound):
                pass  # somebody has written it: let us see who
            else:
                return True
        try:
            self._see(await self._leases.get(self.name))
        except NotFound:
            return await self._made()
        if self._holder not in ("", self.identity) and not self._is_over:
            return False
        try:
            await self._write(self._lease)
        except (Conflict, NotFound):
            return False
        return True

    async def _made(self) -> bool:
        metadata = {"name": self.name, "namespace": self._leases.namespace}
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata}
        try:
            self._see(await self._leases.create(lease | {"spec": self._spec({}, transitions=0)}))
        except AlreadyExists:
            self._see({})
            return False
        return True

    async def _write(self, lease: JSONObject) -> None:
        spec = lease.get("spec") or {}
        transitions = spec.get("leaseTransitions") or 0
        if self._holder == self.identity:
            spec = self._spec(spec, transitions=transitions)
        else:
            spec = self._spec({}, transitions=transitions + 1)
        self._see(await self._leases.update(lease | {"spec": spec}))

    def _spec(self, before: JSONObject, *, transitions: int) -> JSONObject:
        moment = micro_now()
        return {
            "holderIdentity": self.identity,
            "leaseDurationSeconds": int(self._timing.lease_duration.total_seconds()),
            "acquireTime": before.get("acquireTime") or moment,
            "renewTime": moment,
            "leaseTransitions": transitions,
        }

    async def _release(self) -> None:
        """The next one need not wait. What the server does not hear now, the end of the lease tells the others."""
        if self._holder != self.identity:
            return
        moment, spec = micro_now(), self._lease.get("spec") or {}
        given_back = spec | {"leaseDurationSeconds": 1, "renewTime": moment, "acquireTime": moment}
        del given_back["holderIdentity"]
        try:
            async with asyncio.timeout(_GOODBYE.total_seconds()):
                self._see(await self._leases.update(self._lease | {"spec": given_back}))
        except (APIError, ClientError, TimeoutError) as error:
            _log.info("the lease %s ends by itself: %s", self.name, error)

    async def _chance(self) -> None:
        """Until the lease may be free, as far as one can see."""
        if not self._lease:
            return
        version = self._lease["metadata"]["resourceVersion"]
        one = ListOptions(field_selector=f"metadata.name={self.name}", resource_version=version)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._until_its_end) as limit, self._leases.watch(one) as events:
                async for event in events:
                    if event.type == "DELETED":
                        return
                    self._see(event.object)
                    if not self._holder:
                        return
                    limit.reschedule(loop.time() + self._until_its_end)
        except TimeoutError:
            return

    def _see(self, lease: JSONObject) -> None:
        """Also our own writes: from then on others may count."""
        if lease.get("spec") != self._lease.get("spec"):
            self._seen_at = self._clock()
        self._lease = lease

    @property
    def _holder(self) -> str:
        return str((self._lease.get("spec") or {}).get("holderIdentity") or "")

    @property
    def _is_over(self) -> bool:
        return self._clock() >= self._seen_at + self._duration

    @property
    def _until_its_end(self) -> float:
        return max(0.0, self._seen_at + self._duration - self._clock()) + _AFTER_THE_END

    @property
    def _duration(self) -> float:
        seconds = (self._lease.get("spec") or {}).get("leaseDurationSeconds")
        return float(seconds) if seconds else self._timing.lease_duration.total_seconds()
