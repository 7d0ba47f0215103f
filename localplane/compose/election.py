"""Which of several servers acts: flags, and standing for a lease.

Only where others may come to the same store. A server that is alone acts at once, and nothing of this is imported.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Final

from localplane.apimachinery.times import parse_duration
from localplane.apiserver.server.flags import Flag

CONTROLLERS: Final = "kube-controller-manager"
SCHEDULER: Final = "kube-scheduler"
NODES: Final = "localplane-nodes"
LEASES: Final = (CONTROLLERS, SCHEDULER, NODES)
"""In kube-system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderElectionOptions:
    """kube-controller-manager's flags, for controllers, scheduler and simulated nodes alike."""

    enabled: Annotated[
        bool,
        Flag(
            "--leader-elect/--no-leader-elect",
            "With --etcd-servers: of all servers on a prefix, let one act and the others wait for its lease. Default: "
            "they do.",
            shows_default=False,
        ),
    ] = True
    lease_duration: Annotated[
        timedelta,
        Flag(
            "--leader-elect-lease-duration",
            "How long others wait for a leader that they don't hear of.",
            metavar="DURATION",
            words=str,
            default="15s",
            read=parse_duration,
        ),
    ] = timedelta(seconds=15)
    renew_deadline: Annotated[
        timedelta,
        Flag(
            "--leader-elect-renew-deadline",
            "When a leader stops that can't renew its lease.",
            metavar="DURATION",
            words=str,
            default="10s",
            read=parse_duration,
        ),
    ] = timedelta(seconds=10)
    retry_period: Annotated[
        timedelta,
        Flag(
            "--leader-elect-retry-period",
            "How often a leader renews its lease.",
            metavar="DURATION",
            words=str,
            default="2s",
            read=parse_duration,
        ),
    ] = timedelta(seconds=2)

    def problems(self) -> Iterator[str]:
        if self == LeaderElectionOptions():
            return
        from localplane.client.leader_election import ElectionTiming

        timing = ElectionTiming(
            lease_duration=self.lease_duration, renew_deadline=self.renew_deadline, retry_period=self.retry_period
        )
        yield from timing.problems()


async def elected(
    client: Any, name: str, identity: str, options: LeaderElectionOptions, act: Callable[[], Awaitable[None]]
) -> None:
    """Act whenever the lease `name` is ours, until it is cancelled. What acts can't write once it is not."""
    from localplane.apiserver.storage.permission import writing_while
    from localplane.client.leader_election import ElectionTiming, LeaderElector, Leadership

    timing = ElectionTiming(
        lease_duration=options.lease_duration, renew_deadline=options.renew_deadline, retry_period=options.retry_period
    )

    async def lead(leadership: Leadership) -> None:
        with writing_while(lambda: leadership.holds):
            await act()

    await LeaderElector(client, name, identity=identity, timing=timing).run(lead)
