"""/livez, /readyz and /healthz: named checks, and Kubernetes' way of reporting them.

Kubernetes: apiserver/pkg/server/healthz. The reason of a failure goes to the log, never to the client; only the owner
of the process, who could read the log as well, is told it (`health_socket`).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

_log = logging.getLogger(__name__)


class Unhealthy(Exception):
    """Raised by a check; its text is for the log."""


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """`run` raises Unhealthy, or returns."""

    name: str
    run: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Report:
    ok: bool
    text: str


async def ping() -> None:
    """The check that only asks whether anybody is there."""


async def log() -> None:
    """Kubernetes checks that its log is not blocked; ours can't be without the process being so, too."""


def informer_sync(unsynced: Callable[[], Collection[str]]) -> HealthCheck:
    """Fails as long as some informers have not seen everything once; `unsynced` names them."""

    async def run() -> None:
        if names := unsynced():
            raise Unhealthy(f"{len(names)} informers not started yet: {', '.join(sorted(names))}")

    return HealthCheck("informer-sync", run)


class HealthChecks:
    """What /livez, /readyz and /healthz ask, in the order in which they tell it."""

    def __init__(self) -> None:
        self._checks: dict[str, list[HealthCheck]] = {"livez": [], "readyz": [], "healthz": []}

    def add(self, check: HealthCheck) -> None:
        """To all three."""
        for checks in self._checks.values():
            _append(checks, check)

    def add_readiness(self, check: HealthCheck) -> None:
        """To readyz only: what comes and goes without the process being sick."""
        _append(self._checks["readyz"], check)

    def of(self, endpoint: str) -> Sequence[HealthCheck]:
        return self._checks[endpoint]

    def find(self, endpoint: str, name: str) -> HealthCheck | None:
        return next((check for check in self._checks[endpoint] if check.name == name), None)


def _append(checks: list[HealthCheck], check: HealthCheck) -> None:
    if any(known.name == check.name for known in checks):
        raise ValueError(f"there are two health checks named {check.name}")
    checks.append(check)


def _one_line(error: Unhealthy) -> str:
    return " ".join(str(error).split())


async def report(
    endpoint: str,
    checks: Sequence[HealthCheck],
    *,
    verbose: bool = False,
    exclude: Collection[str] = (),
    with_reasons: bool = False,
) -> Report:
    """What `endpoint` (`readyz`, …) answers. A failure is always told in full, success only when asked for."""
    lines: list[str] = []
    failed: list[str] = []
    for check in checks:
        if check.name in exclude:
            lines.append(f"[+]{check.name} excluded: ok")
            continue
        try:
            await check.run()
        except Unhealthy as error:
            _log.warning("%s check %s failed: %s", endpoint, check.name, error)
            failed.append(check.name)
            lines.append(f"[-]{check.name} failed: {_one_line(error) if with_reasons else 'reason withheld'}")
        else:
            lines.append(f"[+]{check.name} ok")
    unknown = sorted(set(exclude) - {check.name for check in checks})
    if unknown:
        names = ", ".join(f'"{name}"' for name in unknown)
        lines.append(f"warn: some health checks cannot be excluded: no matches for {names}")
    if failed:
        return Report(ok=False, text="\n".join([*lines, f"{endpoint} check failed", ""]))
    return Report(ok=True, text="\n".join([*lines, f"{endpoint} check passed", ""]) if verbose else "ok")
